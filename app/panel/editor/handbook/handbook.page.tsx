import { type RefObject, useEffect, useRef } from 'react'
import { checkLoginWall } from '#app/accounts/sign-in/login-wall.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { RichText } from '#app/site/rich-text.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import type { Route } from './+types/handbook.page'
import styles from './handbook.module.css'
import { readHandbook } from './handbook.server.ts'
import type { HandbookBlock } from './parse-handbook.ts'

export async function loader({ request, context }: Route.LoaderArgs) {
  if (!(await checkLoginWall(request, context, 'organizadores')).isOpen) return null
  return { blocks: await readHandbook() }
}

export { PanelErrorBoundary as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Manual del comité, El sitio' }, args)

export default function HandbookPage({ loaderData }: Route.ComponentProps) {
  const text = useRef<HTMLDivElement>(null)
  useFoldedSections(text)
  if (!loaderData) return null
  const { blocks } = loaderData
  const sections = sectionsOf(blocks)
  return (
    <>
      <p className={styles.back}>
        <Link to="/organizadores/sitio">← El sitio</Link>
      </p>
      <article className={styles.manual}>
        <div className={styles.text}>
          <Blocks blocks={blocks.slice(0, blocks.length - sections.flat().length)} />
        </div>
        <nav aria-label="Qué quieres hacer" className={styles.index}>
          <ul>
            {sections.map(([{ id, title }]) => (
              <li key={id}>
                <a href={`#${id}`}>{title}</a>
              </li>
            ))}
          </ul>
        </nav>
        <div ref={text}>
          {sections.map(([heading, ...content]) => (
            <details key={heading.id} open className={styles.section}>
              <summary>
                <h2 id={heading.id}>{heading.title}</h2>
              </summary>
              <div className={styles.text}>
                <Blocks blocks={content} />
              </div>
            </details>
          ))}
        </div>
      </article>
    </>
  )
}

type Section = [heading: Extract<HandbookBlock, { kind: 'heading' }>, ...content: HandbookBlock[]]

/** Divides the handbook into the sections of its second-level headings, without the blocks before the first. */
function sectionsOf(blocks: readonly HandbookBlock[]): Section[] {
  const sections: Section[] = []
  for (const block of blocks)
    if (block.kind === 'heading' && block.level === 2) sections.push([block])
    else sections.at(-1)?.push(block)
  return sections
}

/** On a phone, closes all sections but the one that the URL names; a link to a section opens it. */
function useFoldedSections(text: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const openNamed = () => {
      const section = document.getElementById(location.hash.slice(1))?.closest('details')
      if (!section) return
      section.open = true
      section.scrollIntoView()
    }
    if (matchMedia('(max-width: 599px)').matches)
      for (const section of text.current?.querySelectorAll('details') ?? []) section.open = false
    openNamed()
    addEventListener('hashchange', openNamed)
    return () => removeEventListener('hashchange', openNamed)
  }, [text])
}

const Blocks = ({ blocks }: { blocks: readonly HandbookBlock[] }) =>
  blocks.map((block, index) => <BlockElement key={String(index)} block={block} />)

function BlockElement({ block }: { block: HandbookBlock }) {
  if (block.kind === 'heading') {
    return <h1 id={block.id}>{block.title}</h1>
  }
  if (block.kind === 'picture')
    return <img src={`/organizadores/sitio/manual/${block.fileName}`} alt={block.alt} loading="lazy" />
  return <RichText blocks={[block]} />
}
