import { useRouteLoaderData } from 'react-router'
import { type DocumentKind, kindOf } from '#app/entries/definitions/document-kinds.ts'
import styles from './what-to-bring.module.css'

/** Shows in print what to bring, and where to look up the folio. An accepted entrant's screen has the list until the contest. */
export function WhatToBring({ kinds }: { kinds: readonly DocumentKind[] }) {
  const root = useRouteLoaderData<{ origin: string }>('root')
  return (
    <div className={styles.sheet}>
      <p className={styles.title}>Qué llevar</p>
      <ul>
        <li>Tu folio</li>
        {[...new Set(kinds)]
          .filter((kind) => kindOf(kind).isIdentity)
          .map((kind) => (
            <li key={kind}>{kindOf(kind).name}, original</li>
          ))}
      </ul>
      {root && (
        <p>
          Con tu folio ves cómo va tu registro: <b>{new URL(root.origin).host}/folio</b>
        </p>
      )}
    </div>
  )
}
