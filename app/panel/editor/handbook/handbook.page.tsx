import { checkLoginWall } from '#app/accounts/sign-in/login-wall.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import type { Route } from './+types/handbook.page'
import styles from './handbook.module.css'
import { readManual } from './handbook.server.ts'
import type { Block, Chunk } from './markdown.ts'

export async function loader({ request, context }: Route.LoaderArgs) {
  if (!(await checkLoginWall(request, context, 'organizadores')).abierta) return null
  return { bloques: await readManual() }
}

export { Falla as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) => pageMeta({ pantalla: 'Manual del comité, El sitio' }, args)

/** The committee's handbook, for organisers new to the panel. */
export default function Manual({ loaderData }: Route.ComponentProps) {
  if (!loaderData) return null
  const { bloques } = loaderData
  const sections = bloques.flatMap((block) => (block.que === 'titulo' && block.nivel === 2 ? [block] : []))
  const [first] = sections
  const at = first ? bloques.indexOf(first) : bloques.length
  return (
    <>
      <p className={styles.volver}>
        <Enlace to="/organizadores/sitio">← El sitio</Enlace>
      </p>
      <article className={styles.manual}>
        <Blocks bloques={bloques.slice(0, at)} />
        <nav aria-label="Qué quieres hacer" className={styles.indice}>
          <ul>
            {sections.map(({ id, trozos }) => (
              <li key={id}>
                <a href={`#${id}`}>
                  <Chunks trozos={trozos} />
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <Blocks bloques={bloques.slice(at)} />
      </article>
    </>
  )
}

const Blocks = ({ bloques }: { bloques: readonly Block[] }) =>
  bloques.map((block, at) => <BlockElement key={String(at)} bloque={block} />)

function BlockElement({ bloque }: { bloque: Block }) {
  if (bloque.que === 'titulo') {
    const HeadingTag = bloque.nivel === 1 ? 'h1' : 'h2'
    return (
      <HeadingTag id={bloque.id}>
        <Chunks trozos={bloque.trozos} />
      </HeadingTag>
    )
  }
  if (bloque.que === 'imagen')
    return <img src={`/organizadores/sitio/manual/${bloque.nombre}`} alt={bloque.alt} loading="lazy" />
  if (bloque.que === 'parrafo')
    return (
      <p>
        <Chunks trozos={bloque.trozos} />
      </p>
    )
  const List = bloque.que === 'pasos' ? 'ol' : 'ul'
  return (
    <List>
      {bloque.renglones.map((chunks, at) => (
        <li key={String(at)}>
          <Chunks trozos={chunks} />
        </li>
      ))}
    </List>
  )
}

const Chunks = ({ trozos }: { trozos: readonly Chunk[] }) =>
  trozos.map(({ texto, fuerte, a }, at) => {
    const key = String(at)
    if (a)
      return (
        <a key={key} href={a}>
          {texto}
        </a>
      )
    return fuerte ? <strong key={key}>{texto}</strong> : <span key={key}>{texto}</span>
  })
