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

export default function HandbookScreen({ loaderData }: Route.ComponentProps) {
  if (!loaderData) return null
  const { blocks } = loaderData
  const sections = blocks.flatMap((block) => (block.kind === 'heading' && block.level === 2 ? [block] : []))
  const [first] = sections
  const tableOfContentsIndex = first ? blocks.indexOf(first) : blocks.length
  return (
    <>
      <p className={styles.back}>
        <Link to="/organizadores/sitio">← El sitio</Link>
      </p>
      <article className={styles.manual}>
        <Blocks blocks={blocks.slice(0, tableOfContentsIndex)} />
        <nav aria-label="Qué quieres hacer" className={styles.index}>
          <ul>
            {sections.map(({ id, title }) => (
              <li key={id}>
                <a href={`#${id}`}>{title}</a>
              </li>
            ))}
          </ul>
        </nav>
        <Blocks blocks={blocks.slice(tableOfContentsIndex)} />
      </article>
    </>
  )
}

const Blocks = ({ blocks }: { blocks: readonly HandbookBlock[] }) =>
  blocks.map((block, index) => <BlockElement key={String(index)} block={block} />)

function BlockElement({ block }: { block: HandbookBlock }) {
  if (block.kind === 'heading') {
    const HeadingTag = block.level === 1 ? 'h1' : 'h2'
    return <HeadingTag id={block.id}>{block.title}</HeadingTag>
  }
  if (block.kind === 'picture')
    return <img src={`/organizadores/sitio/manual/${block.fileName}`} alt={block.alt} loading="lazy" />
  return <RichText blocks={[block]} />
}
