import type { ReactNode } from 'react'

/**
 * Draws an icon of 24 units in the colour of the text. It is hidden from screen readers: the button or link around it needs a
 * name.
 */
export const Icon = ({ children }: { children: ReactNode }) => (
  <svg
    viewBox="0 0 24 24"
    width="24"
    height="24"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.6"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
  >
    {children}
  </svg>
)

export const PreviousIcon = () => (
  <Icon>
    <path d="M20 12H4.5m6-6.5L4 12l6.5 6.5" />
  </Icon>
)
export const NextIcon = () => (
  <Icon>
    <path d="M4 12h15.5m-6-6.5L20 12l-6.5 6.5" />
  </Icon>
)
export const PauseIcon = () => (
  <Icon>
    <path d="M9 6v12M15 6v12" strokeWidth="2.6" strokeLinecap="butt" />
  </Icon>
)
export const PlayIcon = () => (
  <Icon>
    <path d="M9 6.5v11l9-5.5z" fill="currentColor" />
  </Icon>
)
export const FacebookIcon = () => (
  <Icon>
    <path
      fill="currentColor"
      stroke="none"
      d="M13.5 21v-7.6h2.6l.4-3h-3V8.5c0-.9.2-1.5 1.5-1.5h1.6V4.3c-.3 0-1.2-.1-2.3-.1-2.3 0-3.9 1.4-3.9 4v2.2H7.8v3h2.6V21z"
    />
  </Icon>
)
export const InstagramIcon = () => (
  <Icon>
    <rect x="3.8" y="3.8" width="16.4" height="16.4" rx="4.6" />
    <circle cx="12" cy="12" r="3.8" />
    <circle cx="16.7" cy="7.3" r=".6" fill="currentColor" />
  </Icon>
)
/** Draws the icon of a further social network, from public/redes.svg. */
export const SocialNetworkIcon = ({ network }: { network: string }) => (
  <Icon>
    <use href={`/redes.svg#${network}`} />
  </Icon>
)
export const DownloadIcon = () => (
  <Icon>
    <path d="M12 4v11m-5-4.5 5 5 5-5M5 20h14" />
  </Icon>
)
export const WhatsAppIcon = () => (
  <Icon>
    <path d="M4 20l1.2-4.1A8.2 8.2 0 1 1 8.3 19z" />
    <path
      fill="currentColor"
      stroke="none"
      d="M9.3 7.7c-.5 0-1.5.7-1.4 2 .1 1.5 1.1 2.9 2.4 4 1.4 1.2 3 1.8 4.1 1.5 1-.2 1.6-1.1 1.6-1.7 0-.3-1.9-1.3-2.2-1.2-.3.1-.8 1-1.1 1-.4 0-2.5-1.8-2.6-2.5 0-.3.7-.7.7-1.1 0-.3-.7-2-1.5-2z"
    />
  </Icon>
)
