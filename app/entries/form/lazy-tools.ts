import { type LazyCodeState, lazyCode } from '#app/ui/loading/lazy-code.ts'

export type Taller = typeof import('./lazy-tools.client.ts')

/** What a registration's form is worked on with, from the first touch on: until then, and without it, it is a plain form. */
export const TALLER = lazyCode<Taller>(() => import('./lazy-tools.client.ts'))

export type LoadedTools = LazyCodeState<Taller>
