import { useRef } from 'react'
import { Link, type LinkProps } from 'react-router'
import { type Adelanto, useAdelanto } from './adelanto.ts'

interface Props extends Omit<LinkProps, 'prefetch' | 'discover' | 'preventScrollReset'> {
  prefetch?: Adelanto
}

/**
 * Links inside the site. The router would jump to the top at once; the frame scrolls there smoothly instead (§2.1). The
 * screen behind a link in view is fetched before it is asked for.
 */
export function Enlace({ prefetch = 'viewport', ...props }: Props) {
  const link = useRef<HTMLAnchorElement>(null)
  useAdelanto(link, prefetch)
  return <Link preventScrollReset discover="none" {...props} ref={link} />
}

/** Of a link that shows something else within what is looked at: the frame leaves the page where it is. */
export const QUIETO = { quieto: true }
export const isQuieto = (state: unknown): boolean => (state as Partial<typeof QUIETO> | null)?.quieto === true
