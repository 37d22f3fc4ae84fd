import { type ReactNode, useEffect, useRef, useState } from 'react'
import { claseOf, nombreDeDocumento } from '#app/inscripciones/clases.ts'
import type { Documento } from '#app/inscripciones/schema.ts'
import { cuando } from '#app/platform/fechas.ts'
import { buttonLook } from '#app/ui/button.tsx'
import { Enlace } from '#app/ui/enlace.tsx'
import styles from './visor.module.css'

interface Props {
  documentos: Documento[]
  /** Those that others took the place of. */
  anteriores: Documento[]
  abierto:
    | { id: number; direccion: string; isHidden: boolean; aviso: { texto: string; seBaja: boolean } | undefined }
    | undefined
  ahora: Date
}

/** An entry's documents, one open at a time: each opening is a line of the log. */
export function Visor({ documentos, anteriores, abierto, ahora }: Props) {
  const todos = [...documentos, ...anteriores]
  const documento = todos.find(({ id }) => id === abierto?.id)
  const at = documentos.findIndex(({ id }) => id === abierto?.id)
  const [before, after] = at < 0 ? [] : [documentos[at - 1], documentos[at + 1]]
  return (
    <>
      <ul className={styles.documentos}>
        {todos.map((one) => (
          <li key={one.id} className={one.reemplazadoAt ? styles.anterior : undefined}>
            <Ver documento={one} isOpen={one.id === abierto?.id}>
              {nombreDeDocumento(one.clase, one.lado)}
            </Ver>
            <small>
              {tamano(one.bytes)}
              {one.reemplazadoAt && `, reemplazado ${cuando(one.reemplazadoAt, ahora)}`}
            </small>
          </li>
        ))}
      </ul>
      {!documento || !abierto ? (
        <p className={styles.nada}>Elige un documento para verlo. Cada vez que se abre uno queda en la bitácora.</p>
      ) : (
        <figure className={styles.visor}>
          <figcaption>
            <b>{nombreDeDocumento(documento.clase, documento.lado)}</b> <span>{documento.nombreArchivo}</span>
          </figcaption>
          {abierto.isHidden ? (
            <div className={styles.aviso}>
              <p>Es la fotografía en traje de baño. Ábrela sólo si la necesitas para evaluar.</p>
              <Enlace to={`?ver=${documento.id}&mostrar=si`} className={buttonLook('outline')} preventScrollReset>
                Mostrar la fotografía
              </Enlace>
            </div>
          ) : abierto.aviso ? (
            <div className={styles.aviso}>
              <p>{abierto.aviso.texto}</p>
              {abierto.aviso.seBaja && (
                <a href={`${abierto.direccion}&bajar=original`} className={buttonLook('outline')}>
                  Descargar el original{claseOf(documento.clase).esDeIdentidad && ' (sin marca)'}
                </a>
              )}
            </div>
          ) : (
            <>
              {esPdf(documento) ? (
                <>
                  <iframe
                    className={styles.pdf}
                    // Where it is hidden, it is not opened either.
                    loading="lazy"
                    src={`${abierto.direccion}#pagemode=none&navpanes=0&view=FitH`}
                    title={`${nombreDeDocumento(documento.clase, documento.lado)}, en PDF`}
                  />
                  <p className={styles.acciones}>
                    <a href={abierto.direccion} target="_blank" rel="noreferrer">
                      Abrir el PDF en otra pestaña
                    </a>
                  </p>
                </>
              ) : (
                <Imagen
                  key={abierto.direccion}
                  src={abierto.direccion}
                  alt={`${nombreDeDocumento(documento.clase, documento.lado)}, en grande`}
                />
              )}
              <p className={styles.acciones}>
                <a href={`${abierto.direccion}&bajar=si`}>
                  Descargar{claseOf(documento.clase).esDeIdentidad && ' con la marca «solo para este certamen»'}
                </a>
              </p>
            </>
          )}
          <p className={styles.pasos}>
            {before ? <Ver documento={before}>Anterior: {nombreDeDocumento(before.clase, before.lado)}</Ver> : <span />}
            {after && <Ver documento={after}>Siguiente: {nombreDeDocumento(after.clase, after.lado)}</Ver>}
          </p>
        </figure>
      )}
    </>
  )
}

const esPdf = ({ contentType }: Documento) => contentType === 'application/pdf'

/** A PDF's frame needs the policy that comes with this address: a page that began elsewhere has another. */
const Ver = ({ documento, isOpen, children }: { documento: Documento; isOpen?: boolean; children: ReactNode }) => (
  <Enlace
    to={`?ver=${documento.id}${esPdf(documento) ? '#documentos' : ''}`}
    aria-current={isOpen ? 'true' : undefined}
    preventScrollReset
    reloadDocument={esPdf(documento)}
  >
    {children}
  </Enlace>
)

/** A picture, or words where its bytes do not make one after all. */
function Imagen({ src, alt }: { src: string; alt: string }) {
  const image = useRef<HTMLImageElement>(null)
  const [isBroken, setBroken] = useState(false)
  // It may have failed before the page was alive.
  useEffect(() => {
    if (image.current?.complete && image.current.naturalWidth === 0) setBroken(true)
  }, [])
  if (isBroken)
    return (
      <div className={styles.aviso} role="alert">
        <p>
          No se pudo mostrar. Inténtalo de nuevo en un momento; si sigue igual, descarga el original o pídelo de nuevo.
        </p>
        <a href={`${src}&bajar=original`} className={buttonLook('outline')}>
          Descargar el original
        </a>
      </div>
    )
  return (
    <a href={src} target="_blank" rel="noreferrer" className={styles.imagen}>
      <img ref={image} src={src} alt={alt} onError={() => setBroken(true)} />
    </a>
  )
}

const tamano = (bytes: number) =>
  bytes < 1_048_576 ? `${Math.max(1, Math.round(bytes / 1024))} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`
