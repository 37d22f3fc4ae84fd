import { type ComponentProps, useRef } from 'react'
import { seguir } from './navigate.ts'
import { type Adelanto, useAdelanto } from './prefetch.ts'

interface Props extends Omit<ComponentProps<'a'>, 'href' | 'ref' | 'target' | 'download'> {
  /** An address of the site, or a search (`?…`) of this very screen. */
  to: string
  prefetch?: Adelanto
  /** Whether it takes the place of the screen in the history. */
  replace?: boolean
  /** What the screen is told that it leads to. */
  state?: unknown
  /** Whether the browser asks for the document anew. */
  reloadDocument?: boolean
}

/** Links inside the site. The screen behind a link in view is fetched before it is asked for. */
export function Enlace({ to, prefetch = 'viewport', replace, state, reloadDocument, onClick, ...props }: Props) {
  const link = useRef<HTMLAnchorElement>(null)
  useAdelanto(link, prefetch)
  return (
    <a
      {...props}
      ref={link}
      href={to}
      onClick={(event) => {
        onClick?.(event)
        if (!reloadDocument) seguir(event, replace, state)
      }}
    />
  )
}

/** Of a link that shows something else within what is looked at: the frame leaves the page where it is. */
export const QUIETO = { quieto: true }
export const isQuieto = (state: unknown): boolean => (state as Partial<typeof QUIETO> | null)?.quieto === true
