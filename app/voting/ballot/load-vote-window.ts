import { lazyCode } from '#app/ui/deferred/lazy-code.ts'

/** This loads the code of the vote window with all its steps. The list of candidates renders without that code. */
export const VOTE_WINDOW = lazyCode(() => import('./vote-window.tsx'))

// A visit with `?vote=` needs the window at once, so its code is requested before hydration.
if (!import.meta.env.SSR && new URLSearchParams(location.search).has('vote')) VOTE_WINDOW.preload()
