import { type Alcanzada, herramienta } from '#app/ui/herramienta.ts'

export type Taller = typeof import('./taller.client.ts')

/** What a registration's form is worked on with, from the first touch on: until then, and without it, it is a plain form. */
export const TALLER = herramienta<Taller>(() => import('./taller.client.ts'))

export type TallerAlcanzado = Alcanzada<Taller>
