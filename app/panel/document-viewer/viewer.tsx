import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { formatFileSize } from '#app/core/text/file-size.ts'
import { formatPastMoment } from '#app/core/time/mexico-dates.ts'
import { documentName, kindOf } from '#app/entries/definitions/document-kinds.ts'
import type { EntryDocument } from '#app/entries/schema.ts'
import { documentViewQuery } from '#app/panel/rules.ts'
import { buttonLook } from '#app/ui/components/button.tsx'
import { useSwipe } from '#app/ui/motion/swipe.ts'
import { KEEP_SCROLL, Link } from '#app/ui/navigation/link.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import sheetStyles from './loading-sheet.module.css'
import styles from './viewer.module.css'
import { ZoomablePicture } from './zoomable-picture.tsx'

/** A document with its URL in this session, which is undefined if the account may not see the document. */
export interface ViewableDocument extends EntryDocument {
  url: string | undefined
}

interface Props {
  /** Current documents first, then replaced ones. */
  documents: ViewableDocument[]
  now: Date
}

/**
 * Returns the document that the query opens; `ver=primero` opens the first document that is not reserved. Returns undefined without
 * a document that the account may see.
 */
export function useOpenDocument(documents: readonly ViewableDocument[]): ViewableDocument | undefined {
  const { search } = useLocation()
  const wantedId = new URLSearchParams(search).get('ver')
  return wantedId === 'primero'
    ? documents.find(({ url, clase }) => url && !kindOf(clase).isReserved)
    : documents.find(({ id, url }) => url && String(id) === wantedId)
}

/** Shows an entry's documents as thumbnails, and one of them large. The audit log records each opening. */
export function DocumentViewer({ documents, now }: Props) {
  const { search } = useLocation()
  const openDocument = useOpenDocument(documents)
  const showsReserved = new URLSearchParams(search).get('mostrar') === 'si'
  return (
    <>
      <ul className={styles.documents}>
        {documents.map((entryDocument) => (
          <li key={entryDocument.id} className={entryDocument.replacedAt ? styles.previous : undefined}>
            <Thumbnail entryDocument={entryDocument} />
            {entryDocument.url ? (
              <DocumentLink
                entryDocument={entryDocument}
                isOpen={entryDocument.id === openDocument?.id}
                pushesHistory={!openDocument}
              >
                {documentName(entryDocument.clase, entryDocument.lado)}
              </DocumentLink>
            ) : (
              <span>{documentName(entryDocument.clase, entryDocument.lado)}</span>
            )}
            {entryDocument.replacedAt && <small>reemplazado {formatPastMoment(entryDocument.replacedAt, now)}</small>}
            {!entryDocument.url && <small>tu cuenta no la ve</small>}
          </li>
        ))}
      </ul>
      {openDocument ? (
        <OpenDocument
          key={openDocument.id}
          entryDocument={openDocument}
          documents={documents}
          showsReserved={showsReserved}
        />
      ) : (
        <p className={styles.empty}>Elige un documento para verlo. Cada vez que se abre uno queda en la bitácora.</p>
      )}
    </>
  )
}

interface OpenDocumentProps {
  entryDocument: ViewableDocument
  documents: readonly ViewableDocument[]
  /** Whether the organiser has asked to see the reserved document. */
  showsReserved: boolean
}

function OpenDocument({ entryDocument, documents, showsReserved }: OpenDocumentProps) {
  const { search } = useLocation()
  const navigate = useNavigate()
  const figure = useRef<HTMLElement>(null)
  const scene = useRef<HTMLDivElement>(null)
  const { clase, lado, url = '', fileName, byteCount } = entryDocument
  const name = documentName(clase, lado)
  const viewableDocuments = documents.filter(({ replacedAt, url }) => url && !replacedAt)
  const index = viewableDocuments.findIndex(({ id }) => id === entryDocument.id)
  const [previousDocument, nextDocument] = index < 0 ? [] : [viewableDocuments[index - 1], viewableDocuments[index + 1]]
  const isHidden = kindOf(clase).isReserved && !showsReserved

  // The opened document takes the focus and is scrolled into view.
  useEffect(() => {
    figure.current?.focus({ preventScroll: true })
    figure.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  useSwipe(scene, (step) => {
    const target = step < 0 ? previousDocument : nextDocument
    if (target && !scene.current?.querySelector('[data-zoomed]'))
      navigate(documentViewQuery(search, target.id), { replace: true, preventScrollReset: true, state: KEEP_SCROLL })
  })

  return (
    <figure className={styles.viewer} ref={figure} tabIndex={-1} data-viewer="" id="visor" aria-label={name}>
      <figcaption>
        <b>{name}</b>{' '}
        <span>
          {fileName} · {formatFileSize(byteCount)}
        </span>
        <Link
          to={documentViewQuery(search)}
          state={KEEP_SCROLL}
          replace
          className={styles.close}
          data-shortcut="Escape"
        >
          Cerrar
        </Link>
      </figcaption>
      <div ref={scene} className={styles.scene}>
        {isHidden ? (
          <div className={styles.notice}>
            <p>Es la fotografía en traje de baño. Ábrela sólo si la necesitas para evaluar.</p>
            <Link
              to={documentViewQuery(search, entryDocument.id, true)}
              state={KEEP_SCROLL}
              replace
              className={buttonLook('outline')}
              data-shortcut="Enter"
            >
              Mostrar la fotografía
            </Link>
          </div>
        ) : isPdf(entryDocument) ? (
          <Pdf url={url} name={name} />
        ) : (
          <ZoomablePicture
            src={url}
            alt={`${name}, en grande`}
            thumbnail={kindOf(clase).isReserved ? undefined : `${url}&tamano=miniatura`}
          />
        )}
      </div>
      <p className={styles.steps}>
        {previousDocument ? (
          <DocumentLink entryDocument={previousDocument} shortcut="ArrowLeft">
            <span>Anterior</span>
            <small>: {documentName(previousDocument.clase, previousDocument.lado)}</small>
          </DocumentLink>
        ) : (
          <span />
        )}
        {!isHidden && (
          <a href={`${url}&bajar=si`}>
            Descargar{kindOf(clase).isIdentity && <small> con la marca «solo para este certamen»</small>}
          </a>
        )}
        {nextDocument ? (
          <DocumentLink entryDocument={nextDocument} shortcut="ArrowRight">
            <span>Siguiente</span>
            <small>: {documentName(nextDocument.clase, nextDocument.lado)}</small>
          </DocumentLink>
        ) : (
          <span />
        )}
      </p>
    </figure>
  )
}

const isPdf = ({ contentType }: EntryDocument) => contentType === 'application/pdf'

/** Shows a thumbnail, which is too small to read and therefore not logged (0028). */
function Thumbnail({ entryDocument }: { entryDocument: ViewableDocument }) {
  const { clase, url, contentType } = entryDocument
  const [isBroken, setBroken] = useState(false)
  const image = useRef<HTMLImageElement>(null)
  // The picture may have failed before hydration.
  useEffect(() => {
    if (image.current?.complete && image.current.naturalWidth === 0) setBroken(true)
  }, [])
  const showsImage = url && contentType.startsWith('image/') && !kindOf(clase).isReserved && !isBroken
  return (
    <span className={styles.thumbnail} aria-hidden="true">
      {showsImage ? (
        <img
          ref={image}
          src={`${url}&tamano=miniatura`}
          alt=""
          loading="lazy"
          onError={() => setBroken(true)}
          draggable={false}
        />
      ) : (
        <b>{kindOf(clase).isReserved ? 'Reservada' : contentType === 'application/pdf' ? 'PDF' : 'No se ve'}</b>
      )}
    </span>
  )
}

interface DocumentLinkProps {
  entryDocument: EntryDocument
  isOpen?: boolean
  /** Whether the link adds to the history, so that Back closes the document; only the first opened document does. */
  pushesHistory?: boolean
  shortcut?: string
  children: ReactNode
}

/**
 * Links to a document. The frame of a PDF needs the panel's content security policy, so a PDF's link reloads a page that was
 * first loaded outside the panel.
 */
function DocumentLink({ entryDocument, isOpen, pushesHistory = false, shortcut, children }: DocumentLinkProps) {
  const { search } = useLocation()
  const [beganOutsidePanel, setBeganOutsidePanel] = useState(true)
  useEffect(() => {
    const [navigationEntry] = performance.getEntriesByType('navigation')
    setBeganOutsidePanel(!navigationEntry || !new URL(navigationEntry.name).pathname.startsWith('/organizadores'))
  }, [])
  const mustReload = isPdf(entryDocument) && beganOutsidePanel
  return (
    <Link
      to={`${documentViewQuery(search, entryDocument.id)}${mustReload ? '#visor' : ''}`}
      aria-current={isOpen ? 'true' : undefined}
      state={KEEP_SCROLL}
      replace={!pushesHistory}
      reloadDocument={mustReload}
      data-shortcut={shortcut}
    >
      {children}
    </Link>
  )
}

function Pdf({ url, name }: { url: string; name: string }) {
  const [loadedUrl, setLoadedUrl] = useState<string>()
  return (
    <div className={styles.withPdf}>
      <iframe
        className={joinClasses(styles.pdf, loadedUrl !== url && sheetStyles.sheet)}
        // A hidden frame must not load the PDF, since that would be logged.
        loading="lazy"
        src={`${url}#pagemode=none&navpanes=0&view=FitH`}
        title={`${name}, en PDF`}
        onLoad={() => setLoadedUrl(url)}
      />
      <a href={url} target="_blank" rel="noreferrer" className={buttonLook('outline')}>
        Abrir el PDF en otra pestaña
      </a>
    </div>
  )
}
