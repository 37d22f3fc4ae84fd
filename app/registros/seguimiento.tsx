import { type Ref, useEffect, useState } from 'react'
import { Form } from 'react-router'
import { enMexico, enReloj } from '#app/platform/fechas.ts'
import type { EstadoInscripcion } from '#app/platform/tables.ts'
import { Banner } from '#app/ui/banner.tsx'
import { Button } from '#app/ui/button.tsx'
import styles from './folio.module.css'
import { type ClaseDocumento, DOCUMENTOS, ETIQUETAS, type LadoCredencial, type VistaFolio } from './schema.ts'

const ESTADOS: Readonly<Record<EstadoInscripcion, { nombre: string; explica: string }>> = {
  recibida: { nombre: 'Recibida', explica: 'Tu registro está completo. El comité todavía no empieza a revisarlo.' },
  'en-revision': { nombre: 'En revisión', explica: 'El comité está revisando tu registro.' },
  'falta-documento': { nombre: 'Falta un documento', explica: 'El comité necesita que subas otra vez un documento.' },
  aceptada: { nombre: 'Aceptada', explica: 'El comité aceptó tu registro.' },
  rechazada: { nombre: 'Rechazada', explica: 'El comité no aceptó tu registro.' },
}

const LADOS = { anverso: 'anverso', reverso: 'reverso' }
const nombreDe = ({ clase, lado }: { clase: ClaseDocumento; lado: LadoCredencial | null }) =>
  lado ? `${ETIQUETAS[clase].replace(/ \(.*\)$/, '')}, ${LADOS[lado]}` : ETIQUETAS[clase]

interface SeguimientoProps {
  vista: VistaFolio
  /** A document was just received. */
  mensaje?: string | undefined
  /** A document was refused: which, and why. */
  rechazo?: { message: string; solicitud: number | undefined }
  /** Takes the focus. */
  ref: Ref<HTMLDivElement>
}

/** An entry as its person may see it: state, note, what was received, and what is asked for again. */
export function Seguimiento({ vista, mensaje, rechazo, ref }: SeguimientoProps) {
  const { nombre, explica } = ESTADOS[vista.estado]
  const [sending, setSending] = useState(false)
  useEffect(() => {
    // Back to a page that was sent and kept.
    const stop = () => setSending(false)
    addEventListener('pageshow', stop)
    return () => removeEventListener('pageshow', stop)
  }, [])
  const said = rechazo?.message ?? mensaje
  // A solicitud that is gone has no row of its own to speak in.
  const beside = vista.solicitudes.some(({ id }) => id === rechazo?.solicitud)
  return (
    <>
      {said && !beside && <Banner tone={rechazo ? 'bad' : 'good'} message={said} ref={ref} />}
      <section className={styles.entry} aria-labelledby="estado">
        <div className={styles.head} tabIndex={-1} ref={said ? undefined : ref}>
          <p className={styles.folio}>{vista.folio}</p>
          <h2 className={styles.state} data-state={vista.estado} id="estado">
            {nombre}
          </h2>
          <p>{explica}</p>
          {vista.nota && (
            <blockquote className={styles.note}>
              <p>{vista.nota}</p>
              <footer>El comité organizador</footer>
            </blockquote>
          )}
        </div>

        {vista.solicitudes.map((solicitud) => (
          <Form
            className={styles.ask}
            key={solicitud.entrega}
            method="post"
            action="/folio"
            encType="multipart/form-data"
            noValidate
            // The browser's own way: it shows how far the file is, and a broken connection can be tried again.
            reloadDocument
            onSubmit={() => setSending(true)}
          >
            <h3>Sube otra vez: {nombreDe(solicitud)}</h3>
            <p className={styles.reason}>{solicitud.nota}</p>
            {rechazo && rechazo.solicitud === solicitud.id && <Banner tone="bad" message={rechazo.message} ref={ref} />}
            <input type="hidden" name="entrega" value={solicitud.entrega} />
            <input type="hidden" name="folio" value={vista.folio} />
            <input type="hidden" name="solicitud" value={solicitud.id} />
            <label className={styles.label} htmlFor={`archivo-${solicitud.id}`}>
              {nombreDe(solicitud)}
            </label>
            <input
              className={styles.file}
              id={`archivo-${solicitud.id}`}
              name={solicitud.clase}
              type="file"
              accept={DOCUMENTOS[solicitud.clase].accept}
              required
            />
            <Button type="submit" busy={sending}>
              {sending ? 'Subiendo información...' : 'Enviar documento'}
            </Button>
          </Form>
        ))}

        <div>
          <h3>Lo que recibimos</h3>
          <p className={styles.when}>
            Registro de {vista.tipo === 'traje' ? 'traje típico' : 'candidata'}, {enMexico(new Date(vista.recibida))}
          </p>
          <ul className={styles.files}>
            {vista.documentos.map((documento) => (
              <li
                key={`${documento.clase}-${documento.lado}-${documento.recibido}`}
                data-old={documento.reemplazado || undefined}
              >
                <span className={styles.kind}>{nombreDe(documento)}</span>
                <span className={styles.name}>{documento.nombre}</span>
                <span className={styles.when}>
                  {enReloj(new Date(documento.recibido))}
                  {documento.reemplazado && '. Lo sustituye otro más nuevo'}
                </span>
              </li>
            ))}
          </ul>
        </div>
      </section>
    </>
  )
}
