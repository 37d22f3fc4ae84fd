import { type LazyCodeState, lazyCode } from '#app/ui/deferred/lazy-code.ts'

export type FormTools = typeof import('./lazy-tools.client.ts')

/** Code of a registration's form, loaded at the first touch; until then, and if it cannot be loaded, the form is plain HTML. */
export const FORM_TOOLS = lazyCode<FormTools>(() => import('./lazy-tools.client.ts'))

export type LoadedTools = LazyCodeState<FormTools>
