import { lazyCode } from '#app/ui/loading/lazy-code.ts'

/** The window in which a vote happens, with all of its steps: nobody needs it to see who stands for election. */
export const VOTE_WINDOW = lazyCode(() => import('./vote-window.tsx'))

// Whoever comes with a vote needs it at once: it is on its way before the page is alive.
if (!import.meta.env.SSR && new URLSearchParams(location.search).has('vote')) VOTE_WINDOW.ahead()
