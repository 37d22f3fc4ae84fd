import { checkLoginWall } from '#app/accounts/sign-in/login-wall.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { Link } from '#app/ui/navigation/link.tsx'
import type { Route } from './+types/handbook.page'
import styles from './handbook.module.css'
import { readHandbook } from './handbook.server.ts'
import type { Block, Chunk } from './markdown.ts'

export async function loader({ request, context }: Route.LoaderArgs) {
  if (!(await checkLoginWall(request, context, 'organizadores')).isOpen) return null
  return { blocks: await readHandbook() }
}

export { PanelErrorBoundary as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Manual del comité, El sitio' }, args)

export default function HandbookScreen({ loaderData }: Route.ComponentProps) {
  if (!loaderData) return null
  const { blocks } = loaderData
  const sections = blocks.flatMap((block) => (block.que === 'titulo' && block.nivel === 2 ? [block] : []))
  const [first] = sections
  const at = first ? blocks.indexOf(first) : blocks.length
  return (
    <>
      <p className={styles.back}>
        <Link to="/organizadores/sitio">← El sitio</Link>
      </p>
      <article className={styles.manual}>
        <Blocks blocks={blocks.slice(0, at)} />
        <nav aria-label="Qué quieres hacer" className={styles.index}>
          <ul>
            {sections.map(({ id, trozos }) => (
              <li key={id}>
                <a href={`#${id}`}>
                  <Chunks chunks={trozos} />
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <Blocks blocks={blocks.slice(at)} />
      </article>
    </>
  )
}

const Blocks = ({ blocks }: { blocks: readonly Block[] }) =>
  blocks.map((block, at) => <BlockElement key={String(at)} block={block} />)

function BlockElement({ block }: { block: Block }) {
  if (block.que === 'titulo') {
    const HeadingTag = block.nivel === 1 ? 'h1' : 'h2'
    return (
      <HeadingTag id={block.id}>
        <Chunks chunks={block.trozos} />
      </HeadingTag>
    )
  }
  if (block.que === 'imagen')
    return <img src={`/organizadores/sitio/manual/${block.nombre}`} alt={block.alt} loading="lazy" />
  if (block.que === 'parrafo')
    return (
      <p>
        <Chunks chunks={block.trozos} />
      </p>
    )
  const List = block.que === 'pasos' ? 'ol' : 'ul'
  return (
    <List>
      {block.renglones.map((chunks, at) => (
        <li key={String(at)}>
          <Chunks chunks={chunks} />
        </li>
      ))}
    </List>
  )
}

const Chunks = ({ chunks }: { chunks: readonly Chunk[] }) =>
  chunks.map(({ texto, fuerte, a }, at) => {
    const key = String(at)
    if (a)
      return (
        <a key={key} href={a}>
          {texto}
        </a>
      )
    return fuerte ? <strong key={key}>{texto}</strong> : <span key={key}>{texto}</span>
  })
