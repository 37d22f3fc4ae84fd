import type { VoteAnswer, VoteRefusal, VoteWindowStep } from './schema.ts'

const STEP_AFTER_REFUSAL: Record<VoteRefusal, (votePlace: number) => VoteWindowStep> = {
  'ya-votaste': (votePlace) => ({ name: 'already-voted', votePlace }),
  antes: () => ({ name: 'closed' }),
  cerrada: () => ({ name: 'closed' }),
  candidata: () => ({ name: 'invalid' }),
  retirada: () => ({ name: 'withdrawn' }),
  cambio: () => ({ name: 'outdated' }),
  sesion: (votePlace) => ({ name: 'sign-in', votePlace }),
  prueba: (votePlace) => ({ name: 'work-failed', votePlace }),
}

export const stepAfter = (answer: VoteAnswer, votePlace: number): VoteWindowStep =>
  answer.ok ? { name: 'done', votePlace, receipt: answer.recibo } : STEP_AFTER_REFUSAL[answer.reason](votePlace)
