import { memo } from 'react'
import { data } from 'react-router'
import { loadEdicion } from '#app/cms/editions/displayed-edition.server.ts'
import { cabeza } from '#app/cms/page-meta.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import { MasAbajo, useMasAbajo } from '#app/ui/loading/below-fold.tsx'
import { MiniaturaVisor, Visor } from '#app/ui/photos/lightbox.tsx'
import { Foto, type Imagen } from '#app/ui/photos/photo.tsx'
import { IconoAnterior, IconoSiguiente } from '#app/ui/primitives/icons.tsx'
import { Nombre } from '#app/ui/primitives/person-name.tsx'
import { Redes } from '#app/ui/sharing/social-links.tsx'
import type { Route } from './+types/profile.page'
import { Puesto } from './job-title.tsx'
import styles from './profile.module.css'
import final from './profile-end.module.css'
import { linesOf } from './rules.ts'
import { Video } from './video.tsx'

export { shouldRevalidate } from '#app/ui/photos/lightbox-hash.ts'

const CONOCE = 'Conoce + de mí'
/** What stands before and after its sign. */
const [antes, despues] = CONOCE.split('+')

export const handle = { ahead: true }

export async function loader({ params }: Route.LoaderArgs) {
  const { maestros, tarjetas } = await loadEdicion()
  const lugar = maestros.findIndex(({ slug }) => slug === params.slug)
  const maestro = maestros[lugar]
  if (!maestro) throw data(null, { status: 404 })
  const { slug, nombre, puesto, descripcion, foto, bio, galeria, tarjetas: textos, video, redes } = maestro
  const siguiente = maestros.length > 1 ? maestros[(lugar + 1) % maestros.length] : undefined
  const tarjetasDelPerfil = [
    { titulo: 'Credenciales', ...textos.credenciales },
    { titulo: 'Casos de Éxito', ...textos.exitos },
    { titulo: 'Datos Curiosos', ...textos.datos },
  ]
  return {
    ...{ nombre, puesto, foto, bio, galeria, video, redes },
    tarjetas: tarjetasDelPerfil.map(({ titulo, texto, foto }) => ({ titulo, foto, renglones: linesOf(texto) })),
    siguiente: siguiente && { slug: siguiente.slug, nombre: siguiente.nombre, foto: soloVista(siguiente.foto) },
    descripcion: `${puesto.join(' ')}. ${descripcion}`,
    tarjeta: tarjetas[`maestro-${slug}`],
  }
}

/** A photograph that says nothing: the link that it stands in does. */
const soloVista = ({ vista, ...imagen }: Imagen): Imagen => ({ ...imagen, alt: '' })

export const meta: Route.MetaFunction = (args) => {
  const { nombre, descripcion, tarjeta } = args.loaderData ?? {}
  return cabeza({ pantalla: nombre, descripcion, tarjeta, tipo: 'profile' }, args)
}

/** A teacher: who they are, what they show of themselves, and their video (§2.7). */
export default memo(function Perfil({ loaderData }: Route.ComponentProps) {
  const { nombre, puesto, foto, bio, galeria, tarjetas, video, redes, siguiente } = loaderData
  const abajo = useMasAbajo()
  return (
    // Keyed by teacher, so that nothing of the one before lives on, least of all the video.
    <article key={nombre}>
      <header className={styles.perfil}>
        <Foto
          imagen={foto}
          sizes="(max-width: 700px) 88vw, (max-width: 900px) 100vw, max(45vw, 67vh)"
          className={styles.foto}
          primera
        />
        <div className={styles.texto}>
          <Enlace to="/maestros" className={styles.volver}>
            <IconoAnterior />
            Todos los maestros
          </Enlace>
          <h1>
            <Nombre>{nombre}</Nombre>
          </h1>
          <Puesto puesto={puesto} className={styles.puesto} />
          <div className={styles.bio}>
            {bio.map((parrafo) => (
              <p key={parrafo}>{parrafo}</p>
            ))}
          </div>
          <div className={styles.seguir}>
            <section className={styles.redes} aria-labelledby="redes">
              <h2 id="redes">Sígueme en mis redes</h2>
              <Redes {...redes} />
            </section>
            <div className={styles.galeria}>
              {galeria.map((imagen, index) => (
                <MiniaturaVisor
                  key={imagen.base}
                  serie="galeria"
                  numero={index + 1}
                  imagen={imagen}
                  sizes="128px"
                  chica
                />
              ))}
            </div>
          </div>
          <Visor
            serie="galeria"
            nombre={`Fotografías de ${nombre}`}
            imagenes={galeria}
            pies={galeria.map(() => nombre)}
          />
        </div>
      </header>
      <MasAbajo si={abajo}>
        <section className={styles.conoce} aria-labelledby="conoce">
          <h2 id="conoce">
            {antes}
            <span className={styles.mas}>+</span>
            {despues}
          </h2>
          <div className={styles.tarjetas}>
            {tarjetas.map(({ titulo, foto, renglones }) => (
              <article key={titulo}>
                <Foto imagen={foto} sizes="(max-width: 599px) 112px, (max-width: 900px) 36vw, 28vw" />
                <div>
                  <h3>{titulo}</h3>
                  <ul>
                    {renglones.map((renglon) => (
                      <li key={renglon}>{renglon}</li>
                    ))}
                  </ul>
                </div>
              </article>
            ))}
          </div>
        </section>
        {(video || siguiente) && (
          <div className={final.cierre}>
            {video && <Video {...video} />}
            {siguiente && (
              <Enlace to={`/maestros/${siguiente.slug}`} className={final.siguiente}>
                <Foto
                  imagen={siguiente.foto}
                  sizes="(max-width: 700px) 88vw, (max-width: 900px) 50vw, 60vw"
                  className={final.suya}
                />
                <span>
                  Siguiente:{' '}
                  <b>
                    <Nombre>{siguiente.nombre}</Nombre>
                  </b>
                </span>
                <IconoSiguiente />
              </Enlace>
            )}
          </div>
        )}
      </MasAbajo>
    </article>
  )
})
