import type { VoteAnswer, VoteRefusal, WindowStep } from './schema.ts'

const STEP_AFTER_REFUSAL: Record<VoteRefusal, (vote: number) => WindowStep> = {
  'ya-votaste': (vote) => ({ name: 'already-voted', vote }),
  antes: () => ({ name: 'closed' }),
  cerrada: () => ({ name: 'closed' }),
  candidata: () => ({ name: 'invalid' }),
  retirada: () => ({ name: 'withdrawn' }),
  cambio: () => ({ name: 'outdated' }),
  sesion: (vote) => ({ name: 'sign-in', vote }),
  prueba: (vote) => ({ name: 'work-failed', vote }),
}

export const stepAfter = (answer: VoteAnswer, vote: number): WindowStep =>
  answer.ok ? { name: 'done', vote, receipt: answer.recibo } : STEP_AFTER_REFUSAL[answer.reason](vote)
