import type { VoteAnswer, VoteRefusal, VoteWindowStep } from './schema.ts'

const STEP_AFTER_REFUSAL: Record<VoteRefusal, (vote: number) => VoteWindowStep> = {
  'ya-votaste': (vote) => ({ name: 'already-voted', vote }),
  antes: () => ({ name: 'closed' }),
  cerrada: () => ({ name: 'closed' }),
  candidata: () => ({ name: 'invalid' }),
  retirada: () => ({ name: 'withdrawn' }),
  cambio: () => ({ name: 'outdated' }),
  sesion: (vote) => ({ name: 'sign-in', vote }),
  prueba: (vote) => ({ name: 'work-failed', vote }),
}

export const stepAfter = (answer: VoteAnswer, vote: number): VoteWindowStep =>
  answer.ok ? { name: 'done', vote, receipt: answer.recibo } : STEP_AFTER_REFUSAL[answer.reason](vote)
