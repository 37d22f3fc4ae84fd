import { abrirPuerta } from '#app/accounts/sign-in/login-wall.server.ts'
import { cabeza } from '#app/cms/page-meta.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import type { Route } from './+types/handbook.page'
import styles from './handbook.module.css'
import { readManual } from './handbook.server.ts'
import type { Bloque, Trozo } from './markdown.ts'

export async function loader({ request, context }: Route.LoaderArgs) {
  if (!(await abrirPuerta(request, context, 'organizadores')).abierta) return null
  return { bloques: await readManual() }
}

export { Falla as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) => cabeza({ pantalla: 'Manual del comité, El sitio' }, args)

/** How each thing is done, for whoever never saw the panel. */
export default function Manual({ loaderData }: Route.ComponentProps) {
  if (!loaderData) return null
  const { bloques } = loaderData
  const secciones = bloques.flatMap((bloque) => (bloque.que === 'titulo' && bloque.nivel === 2 ? [bloque] : []))
  const [first] = secciones
  const at = first ? bloques.indexOf(first) : bloques.length
  return (
    <>
      <p className={styles.volver}>
        <Enlace to="/organizadores/sitio">← El sitio</Enlace>
      </p>
      <article className={styles.manual}>
        <Bloques bloques={bloques.slice(0, at)} />
        <nav aria-label="Qué quieres hacer" className={styles.indice}>
          <ul>
            {secciones.map(({ id, trozos }) => (
              <li key={id}>
                <a href={`#${id}`}>
                  <Trozos trozos={trozos} />
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <Bloques bloques={bloques.slice(at)} />
      </article>
    </>
  )
}

const Bloques = ({ bloques }: { bloques: readonly Bloque[] }) =>
  bloques.map((bloque, at) => <UnBloque key={String(at)} bloque={bloque} />)

function UnBloque({ bloque }: { bloque: Bloque }) {
  if (bloque.que === 'titulo') {
    const Titulo = bloque.nivel === 1 ? 'h1' : 'h2'
    return (
      <Titulo id={bloque.id}>
        <Trozos trozos={bloque.trozos} />
      </Titulo>
    )
  }
  if (bloque.que === 'imagen')
    return <img src={`/organizadores/sitio/manual/${bloque.nombre}`} alt={bloque.alt} loading="lazy" />
  if (bloque.que === 'parrafo')
    return (
      <p>
        <Trozos trozos={bloque.trozos} />
      </p>
    )
  const Lista = bloque.que === 'pasos' ? 'ol' : 'ul'
  return (
    <Lista>
      {bloque.renglones.map((trozos, at) => (
        <li key={String(at)}>
          <Trozos trozos={trozos} />
        </li>
      ))}
    </Lista>
  )
}

const Trozos = ({ trozos }: { trozos: readonly Trozo[] }) =>
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
