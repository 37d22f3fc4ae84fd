import { type FormEvent, type Ref, useEffect, useRef, useState } from 'react'
import { newUuid } from '#app/core/text/uuid.ts'
import { enMexico, enReloj } from '#app/core/time/mexico-dates.ts'
import { ESPERAS } from '#app/core/uploads/retry-wait.ts'
import { Renombrar } from '#app/entries/chosen-files/rename.tsx'
import { claseOf, FALTA_DOCUMENTO, nombreDeDocumento } from '#app/entries/definitions/document-kinds.ts'
import { hasForbiddenCharacter, refuseArchivo } from '#app/entries/documents/file-rules.ts'
import type { EstadoInscripcion, VistaFolio } from '#app/entries/schema.ts'
import type { ResultadoFolio } from '#app/entries/submission/schema.ts'
import type { Envio } from '#app/entries/submission/send.client.ts'
import { dropUpload } from '#app/entries/submission/upload.client.ts'
import { useEnvio, warmUp } from '#app/entries/submission/use-sending.ts'
import { AvanceEnvio } from '#app/ui/forms/sending-progress.tsx'
import { Banner } from '#app/ui/primitives/banner.tsx'
import { Button } from '#app/ui/primitives/button.tsx'
import styles from './folio.module.css'

const ESTADOS: Readonly<Record<EstadoInscripcion, { nombre: string; explica: string }>> = {
  recibida: { nombre: 'Recibida', explica: 'Tu registro está completo. El comité todavía no empieza a revisarlo.' },
  'en-revision': { nombre: 'En revisión', explica: 'El comité está revisando tu registro.' },
  'falta-documento': { nombre: 'Falta un documento', explica: 'El comité te buscará para decirte cuál.' },
  aceptada: { nombre: 'Aceptada', explica: 'El comité aceptó tu registro.' },
  rechazada: { nombre: 'Rechazada', explica: 'El comité no aceptó tu registro.' },
}

interface SeguimientoProps {
  vista: VistaFolio
  /** A document was just received. */
  mensaje?: string | undefined
  /** A document was refused: which, and why. */
  rechazo?: { message: string; solicitud: number | undefined }
  /** A document was sent from here, and this is the answer. */
  onEnviado(resultado: ResultadoFolio): void
  /** Takes the focus. */
  ref: Ref<HTMLDivElement>
}

const PIDEN = {
  uno: 'El comité necesita que subas otra vez un documento.',
  varios: 'El comité necesita que subas otra vez estos documentos.',
}

/** An entry as its person may see it: state, note, what was received, and what is asked for again. */
export function Seguimiento({ vista, mensaje, rechazo, onEnviado, ref }: SeguimientoProps) {
  const { nombre, explica } = ESTADOS[vista.estado]
  const asked = vista.solicitudes.length
  const said = rechazo?.message ?? mensaje
  // A solicitud that is gone has no row of its own to speak in.
  const beside = vista.solicitudes.some(({ id }) => id === rechazo?.solicitud)
  return (
    <>
      {said && !beside && <Banner tone={rechazo ? 'bad' : 'good'} message={said} ref={ref} />}
      <section className={styles.entry} data-state={vista.estado} aria-labelledby="estado">
        <div className={styles.answer}>
          <div className={styles.head} tabIndex={-1} ref={said ? undefined : ref}>
            <p className={styles.folio}>{vista.folio}</p>
            <h2 className={styles.state} id="estado">
              {nombre}
            </h2>
            <p className={styles.whose}>
              {vista.detalle ? (
                <>
                  <strong>{vista.detalle}</strong>, traje típico de {vista.titular}
                </>
              ) : (
                <strong>{vista.titular}</strong>
              )}
            </p>
            <p>{asked === 0 ? explica : asked === 1 ? PIDEN.uno : PIDEN.varios}</p>
            {vista.nota && (
              <blockquote className={styles.note}>
                <p>{vista.nota}</p>
                <footer>El comité organizador</footer>
              </blockquote>
            )}
          </div>

          {vista.solicitudes.map((solicitud) => (
            <Pedido
              key={solicitud.id}
              solicitud={solicitud}
              folio={vista.folio}
              rechazo={rechazo?.solicitud === solicitud.id ? rechazo.message : undefined}
              rechazoRef={ref}
              onEnviado={onEnviado}
            />
          ))}
        </div>

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
                <span className={styles.kind}>{nombreDeDocumento(documento.clase, documento.lado)}</span>
                <span className={styles.name}>{documento.nombre}</span>
                <span className={styles.when}>
                  {enReloj(new Date(documento.recibido))}
                  {documento.reemplazado && ' · Lo sustituye otro más nuevo'}
                </span>
              </li>
            ))}
          </ul>
        </div>
      </section>
    </>
  )
}

interface PedidoProps {
  solicitud: VistaFolio['solicitudes'][number]
  folio: string
  /** Why what was sent for it was not taken. */
  rechazo: string | undefined
  rechazoRef: Ref<HTMLDivElement>
  onEnviado(resultado: ResultadoFolio): void
}

/**
 * A document that is asked for again, sent as the registration itself is: in pieces, for as long as the page is open.
 * What its name or size keeps out is said before it is sent.
 */
function Pedido({ solicitud, folio, rechazo, rechazoRef, onEnviado }: PedidoProps) {
  const { id, clase, lado, nota, entrega } = solicitud
  const nombre = nombreDeDocumento(clase, lado)
  const control = useRef<HTMLInputElement>(null)
  const said = useRef<HTMLDivElement>(null)
  /** Of the file that was chosen last; null: nothing is wrong with it. */
  const [reparo, setReparo] = useState<{ message: string; file: File } | null>()
  /** Why sending it ended, for this file. */
  const [fallo, setFallo] = useState<string>()
  const { enCurso, espera, bytes, ...envio } = useEnvio()
  const button = useRef<HTMLButtonElement>(null)
  /** The chosen file, and where its upload goes on. */
  const elegido = useRef<{ id: string; file: File; url: string | undefined; entrega: string }>(undefined)
  useEffect(() => {
    if (fallo) said.current?.focus()
  }, [fallo])

  function look() {
    const file = control.current?.files?.[0]
    const refusal = file && refuseArchivo(clase, file)
    setReparo(refusal ? { message: refusal.message, file } : null)
    setFallo(undefined)
    if (elegido.current) dropUpload(elegido.current.entrega, elegido.current.url)
    elegido.current = undefined
    warmUp()
  }

  function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    void envio.send<ResultadoFolio>({
      prepare,
      onUrl(_, url) {
        elegido.current!.url = url
      },
      onFin(fin) {
        if (fin.estado === 'detenido') return
        // The plain form is the way, where the uploader cannot be had.
        if (fin.estado === 'sinCargador') form.submit()
        else if (fin.estado === 'rechazo') setFallo(fin.message)
        else if (fin.resultado.ok || fin.resultado.vista) onEnviado(fin.resultado)
        else setFallo(fin.resultado.message)
      },
    })
  }

  /** @returns undefined for what would be refused, which is then said */
  function prepare(): Envio | undefined {
    if (reparo) {
      said.current?.focus()
      return undefined
    }
    const file = control.current?.files?.[0]
    if (!file) {
      setFallo(FALTA_DOCUMENTO)
      return undefined
    }
    if (elegido.current?.entrega !== entrega || elegido.current.file !== file)
      elegido.current = { id: newUuid(), file, url: undefined, entrega }
    setFallo(undefined)
    setReparo(undefined)
    return {
      destino: '/folio/envio',
      entrega,
      folio,
      archivos: [{ ...elegido.current, clase, lado: lado ?? undefined }],
      valores: () => ({ folio, solicitud: String(id) }),
    }
  }

  function rename([file]: File[]) {
    const list = new DataTransfer()
    list.items.add(file!)
    control.current!.files = list.files
    look()
  }

  const message = fallo ?? (reparo === undefined ? rechazo : reparo?.message)
  return (
    <form className={styles.ask} method="post" action="/folio" encType="multipart/form-data" noValidate onSubmit={send}>
      <h3>Sube otra vez: {nombre}</h3>
      <p className={styles.reason}>{nota}</p>
      <input type="hidden" name="entrega" value={entrega} />
      <input type="hidden" name="folio" value={folio} />
      <input type="hidden" name="solicitud" value={id} />
      <label className={styles.label} htmlFor={`archivo-${id}`}>
        {nombre}
      </label>
      <input
        className={styles.file}
        ref={control}
        id={`archivo-${id}`}
        name={clase}
        type="file"
        accept={claseOf(clase).accept}
        required
        aria-describedby={`pista-${id}`}
        onChange={look}
        // Nothing is swapped under the uploader's hands.
        onClick={(event) => enCurso && event.preventDefault()}
        onDrop={(event) => enCurso && event.preventDefault()}
      />
      <p className={styles.when} id={`pista-${id}`}>
        {claseOf(clase).pista}. El nombre del archivo, sin acentos ni ñ.
      </p>
      {message && !enCurso && (
        <Banner tone="bad" message={message} ref={reparo || fallo ? said : rechazoRef}>
          {reparo && hasForbiddenCharacter(reparo.file.name) && (
            <Renombrar control={`archivo-${id}`} files={[reparo.file]} onRename={rename} />
          )}
        </Banner>
      )}
      <Button type="submit" busy={enCurso} ref={button}>
        {enCurso ? 'Subiendo información...' : 'Enviar documento'}
      </Button>
      {enCurso && (
        <AvanceEnvio
          className={styles.sending}
          label={`Avance de ${nombre}`}
          sent={bytes[elegido.current?.id ?? ''] ?? 0}
          total={elegido.current?.file.size ?? 0}
          espera={espera && ESPERAS[espera]}
          onStop={() => {
            envio.stop()
            // The button goes away.
            button.current?.focus()
          }}
        />
      )}
    </form>
  )
}
