import { type LazyCodeState, lazyCode } from '#app/ui/deferred/lazy-code.ts'

export type FormTools = typeof import('./lazy-tools.client.ts')

/** This code is loaded at the form's first touch; until then, and if it cannot be loaded, the form is plain HTML. */
export const FORM_TOOLS = lazyCode<FormTools>(() => import('./lazy-tools.client.ts'))

export type LoadedTools = LazyCodeState<FormTools>
