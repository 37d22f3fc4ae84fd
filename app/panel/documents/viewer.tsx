import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { cuando } from '#app/core/time/mexico-dates.ts'
import { claseOf, nombreDeDocumento } from '#app/entries/definitions/document-kinds.ts'
import type { Documento } from '#app/entries/schema.ts'
import { verDe } from '#app/panel/rules.ts'
import { Enlace, QUIETO } from '#app/ui/links/link.tsx'
import { useSwipe } from '#app/ui/motion/swipe.ts'
import { buttonLook } from '#app/ui/primitives/button.tsx'
import { unir } from '#app/ui/styles/class-names.ts'
import espera from './loading-sheet.module.css'
import styles from './viewer.module.css'
import { Imagen } from './zoomable-image.tsx'

/** A document, and the address that opens it in this session; none for what this account does not see. */
export interface DocumentoAbrible extends Documento {
  direccion: string | undefined
}

interface Props {
  /** Those that count, then those that others took the place of. */
  documentos: DocumentoAbrible[]
  ahora: Date
}

/** Which document the address opens. */
export function useAbierto(documentos: readonly DocumentoAbrible[]): DocumentoAbrible | undefined {
  const { search } = useLocation()
  const ver = new URLSearchParams(search).get('ver')
  return ver === 'primero'
    ? documentos.find(({ direccion, clase }) => direccion && !claseOf(clase).esReservado)
    : documentos.find(({ id, direccion }) => direccion && String(id) === ver)
}

/** An entry's documents side by side, and one of them at large: each opening is a line of the log. */
export function Visor({ documentos, ahora }: Props) {
  const { search } = useLocation()
  const abierto = useAbierto(documentos)
  const isShown = new URLSearchParams(search).get('mostrar') === 'si'
  return (
    <>
      <ul className={styles.documentos} data-ajustada={abierto ? '' : undefined}>
        {documentos.map((one) => (
          <li key={one.id} className={one.reemplazadoAt ? styles.anterior : undefined}>
            <Miniatura documento={one} />
            {one.direccion ? (
              <Ver documento={one} isOpen={one.id === abierto?.id} isFirst={!abierto}>
                {nombreDeDocumento(one.clase, one.lado)}
              </Ver>
            ) : (
              <span>{nombreDeDocumento(one.clase, one.lado)}</span>
            )}
            {one.reemplazadoAt && <small>reemplazado {cuando(one.reemplazadoAt, ahora)}</small>}
            {!one.direccion && <small>tu cuenta no la ve</small>}
          </li>
        ))}
      </ul>
      {abierto ? (
        <Abierto key={abierto.id} documento={abierto} documentos={documentos} isShown={isShown} />
      ) : (
        <p className={styles.nada}>Elige un documento para verlo. Cada vez que se abre uno queda en la bitácora.</p>
      )}
    </>
  )
}

interface AbiertoProps {
  documento: DocumentoAbrible
  documentos: readonly DocumentoAbrible[]
  /** What is reserved was asked for once more. */
  isShown: boolean
}

function Abierto({ documento, documentos, isShown }: AbiertoProps) {
  const { search } = useLocation()
  const navigate = useNavigate()
  const figure = useRef<HTMLElement>(null)
  const scene = useRef<HTMLDivElement>(null)
  const { clase, lado, direccion = '', nombreArchivo, bytes } = documento
  const nombre = nombreDeDocumento(clase, lado)
  const abribles = documentos.filter(({ reemplazadoAt, direccion }) => direccion && !reemplazadoAt)
  const at = abribles.findIndex(({ id }) => id === documento.id)
  const [before, after] = at < 0 ? [] : [abribles[at - 1], abribles[at + 1]]
  const isHidden = claseOf(clase).esReservado && !isShown

  // Wherever the tile stood that was tapped: what it opened is what one looks at.
  useEffect(() => {
    figure.current?.focus({ preventScroll: true })
    figure.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  useSwipe(scene, (by) => {
    const next = by < 0 ? before : after
    if (next && !scene.current?.querySelector('[data-ampliada]'))
      navigate(verDe(search, next.id), { replace: true, preventScrollReset: true, state: QUIETO })
  })

  return (
    <figure className={styles.visor} ref={figure} tabIndex={-1} data-visor="" id="visor" aria-label={nombre}>
      <figcaption>
        <b>{nombre}</b>{' '}
        <span>
          {nombreArchivo} · {tamano(bytes)}
        </span>
        <Enlace to={verDe(search)} state={QUIETO} replace className={styles.cerrar} data-tecla="Escape">
          Cerrar
        </Enlace>
      </figcaption>
      <div ref={scene} className={styles.escena}>
        {isHidden ? (
          <div className={styles.aviso}>
            <p>Es la fotografía en traje de baño. Ábrela sólo si la necesitas para evaluar.</p>
            <Enlace
              to={verDe(search, documento.id, true)}
              state={QUIETO}
              replace
              className={buttonLook('outline')}
              data-tecla="Enter"
            >
              Mostrar la fotografía
            </Enlace>
          </div>
        ) : esPdf(documento) ? (
          <Pdf direccion={direccion} nombre={nombre} />
        ) : (
          <Imagen
            src={direccion}
            alt={`${nombre}, en grande`}
            miniatura={claseOf(clase).esReservado ? undefined : `${direccion}&tamano=miniatura`}
          />
        )}
      </div>
      <p className={styles.pasos}>
        {before ? (
          <Ver documento={before} tecla="ArrowLeft">
            <span>Anterior</span>
            <small>: {nombreDeDocumento(before.clase, before.lado)}</small>
          </Ver>
        ) : (
          <span />
        )}
        {!isHidden && (
          <a href={`${direccion}&bajar=si`} className={styles.bajar}>
            Descargar{claseOf(clase).esDeIdentidad && <small> con la marca «solo para este certamen»</small>}
          </a>
        )}
        {after ? (
          <Ver documento={after} tecla="ArrowRight">
            <span>Siguiente</span>
            <small>: {nombreDeDocumento(after.clase, after.lado)}</small>
          </Ver>
        ) : (
          <span />
        )}
      </p>
    </figure>
  )
}

const esPdf = ({ contentType }: Documento) => contentType === 'application/pdf'

/** What tells one document from another; nothing of it can be read, so it is no opening (0028). */
function Miniatura({ documento }: { documento: DocumentoAbrible }) {
  const { clase, direccion, contentType } = documento
  const [isBroken, setBroken] = useState(false)
  const picture = useRef<HTMLImageElement>(null)
  // It may have failed before the page was alive.
  useEffect(() => {
    if (picture.current?.complete && picture.current.naturalWidth === 0) setBroken(true)
  }, [])
  const isPicture = direccion && contentType.startsWith('image/') && !claseOf(clase).esReservado && !isBroken
  return (
    <span className={unir(styles.miniatura, styles[isPicture ? 'foto' : 'hoja'])} aria-hidden="true">
      {isPicture ? (
        <img
          ref={picture}
          src={`${direccion}&tamano=miniatura`}
          alt=""
          loading="lazy"
          onError={() => setBroken(true)}
          draggable={false}
        />
      ) : (
        <b>{claseOf(clase).esReservado ? 'Reservada' : contentType === 'application/pdf' ? 'PDF' : 'No se ve'}</b>
      )}
    </span>
  )
}

interface VerProps {
  documento: Documento
  isOpen?: boolean
  /** Nothing is open yet: going back closes it again. */
  isFirst?: boolean
  tecla?: string
  children: ReactNode
}

/** A PDF's frame needs the policy that the panel's screens come with: a page that began elsewhere has another. */
function Ver({ documento, isOpen, isFirst = false, tecla, children }: VerProps) {
  const { search } = useLocation()
  const [beganElsewhere, setElsewhere] = useState(true)
  useEffect(() => {
    const [began] = performance.getEntriesByType('navigation')
    setElsewhere(!began || !new URL(began.name).pathname.startsWith('/organizadores'))
  }, [])
  const isReload = esPdf(documento) && beganElsewhere
  return (
    <Enlace
      to={`${verDe(search, documento.id)}${isReload ? '#visor' : ''}`}
      aria-current={isOpen ? 'true' : undefined}
      state={QUIETO}
      replace={!isFirst}
      reloadDocument={isReload}
      data-tecla={tecla}
    >
      {children}
    </Enlace>
  )
}

function Pdf({ direccion, nombre }: { direccion: string; nombre: string }) {
  const [loaded, setLoaded] = useState<string>()
  return (
    <div className={styles.conPdf}>
      <iframe
        className={unir(styles.pdf, loaded !== direccion && espera.hoja)}
        // Where it is hidden, it is not opened either.
        loading="lazy"
        src={`${direccion}#pagemode=none&navpanes=0&view=FitH`}
        title={`${nombre}, en PDF`}
        onLoad={() => setLoaded(direccion)}
      />
      <a href={direccion} target="_blank" rel="noreferrer" className={buttonLook('outline')}>
        Abrir el PDF en otra pestaña
      </a>
    </div>
  )
}

const tamano = (bytes: number) =>
  bytes < 1_048_576 ? `${Math.max(1, Math.round(bytes / 1024))} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`
