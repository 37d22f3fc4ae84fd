import type { VoteAnswer, VoteRefusal, WindowStep } from './schema.ts'

/** The step after each refusal. The type demands an entry for every new refusal. */
const AFTER_REFUSAL: Record<VoteRefusal, (vote: number) => WindowStep> = {
  'ya-votaste': (vote) => ({ paso: 'ya-votaste', vote }),
  cerrada: () => ({ paso: 'cerrada' }),
  candidata: () => ({ paso: 'invalido' }),
  retirada: () => ({ paso: 'retirada' }),
  cambio: () => ({ paso: 'cambio' }),
  sesion: (vote) => ({ paso: 'entrar', vote }),
  prueba: (vote) => ({ paso: 'sin-prueba', vote }),
}

export const stepAfter = (answer: VoteAnswer, vote: number): WindowStep =>
  answer.ok ? { paso: 'hecho', vote, recibo: answer.recibo } : AFTER_REFUSAL[answer.reason](vote)
