import { lazyCode } from '#app/ui/deferred/lazy-code.ts'

/** The code of the vote window with all its steps, loaded on demand, since the list of candidates renders without it. */
export const lazyVoteWindow = lazyCode(() => import('./vote-window.tsx'))

// A document with `?vote=` in its URL needs the window at once, so its code is requested before hydration.
if (!import.meta.env.SSR && new URLSearchParams(location.search).has('vote')) lazyVoteWindow.preload()
