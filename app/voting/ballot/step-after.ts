import type { VoteAnswer, VoteRefusal, WindowStep } from './schema.ts'

/** Where each refusal leads: a new one has to say so here. */
const AFTER_REFUSAL: Record<VoteRefusal, (vote: number) => WindowStep> = {
  'ya-votaste': (vote) => ({ paso: 'ya-votaste', vote }),
  cerrada: () => ({ paso: 'cerrada' }),
  candidata: () => ({ paso: 'invalido' }),
  retirada: () => ({ paso: 'retirada' }),
  cambio: () => ({ paso: 'cambio' }),
  sesion: (vote) => ({ paso: 'entrar', vote }),
  prueba: (vote) => ({ paso: 'sin-prueba', vote }),
}

/** The step that the answer to a vote leads to. */
export const stepAfter = (answer: VoteAnswer, vote: number): WindowStep =>
  answer.ok ? { paso: 'hecho', vote, recibo: answer.recibo } : AFTER_REFUSAL[answer.reason](vote)
