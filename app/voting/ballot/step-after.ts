import type { VoteAnswer, VoteRefusal, WindowStep } from './schema.ts'

/** Each refusal leads to one step. The type demands an entry for every new refusal. */
const AFTER_REFUSAL: Record<VoteRefusal, (vote: number) => WindowStep> = {
  'ya-votaste': (vote) => ({ name: 'ya-votaste', vote }),
  cerrada: () => ({ name: 'cerrada' }),
  candidata: () => ({ name: 'invalido' }),
  retirada: () => ({ name: 'retirada' }),
  cambio: () => ({ name: 'cambio' }),
  sesion: (vote) => ({ name: 'entrar', vote }),
  prueba: (vote) => ({ name: 'sin-prueba', vote }),
}

export const stepAfter = (answer: VoteAnswer, vote: number): WindowStep =>
  answer.ok ? { name: 'hecho', vote, receipt: answer.recibo } : AFTER_REFUSAL[answer.reason](vote)
