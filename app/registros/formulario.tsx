import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import { Banner, Warning } from '#app/ui/banner.tsx'
import { Button } from '#app/ui/button.tsx'
import { SelectField, TextField } from '#app/ui/field.tsx'
import { Progress, percent } from '#app/ui/progress.tsx'
import {
  discardBorrador,
  discardFile,
  newEntrega,
  saveBorrador,
  saveFile,
  tabName,
  takeBorrador,
} from './borrador.client.ts'
import { Documento, type Elegido, formatSize } from './documento.tsx'
import { type Avance, dropUpload, type Espera, sendRegistro, warmUp } from './envio.client.ts'
import styles from './formulario.module.css'
import { cleanFileName, hasForbiddenCharacter, SNIFF_BYTES, sniffContentType, validateRegistro } from './rules.ts'
import {
  ARCHIVOS_POR_CLASE,
  CAMPOS_TEXTO,
  type CampoRegistro,
  CLASES_DOCUMENTO,
  type ClaseDocumento,
  type ErrorCampo,
  ETIQUETAS,
  GRADOS_ESTUDIO,
  type LadoCredencial,
  MAX_ARCHIVO_BYTES,
  MENSAJES,
} from './schema.ts'

export type Documentos = Readonly<Record<ClaseDocumento, readonly Elegido[]>>

export const noDocumentos = (): Documentos => ({
  actaNacimiento: [],
  credencialElector: [],
  constanciaEstudios: [],
  fotoRostro: [],
  fotoCuerpo: [],
})

interface Mensaje {
  message: string
  /** The row it stands beside; absent: at the end of the form. */
  junto?: ClaseDocumento
  /** Files that only their names keep out. */
  renombrar?: File[]
}

/** What a form starts from: nothing, what the server sent back, or a draft. */
export interface Comienzo {
  entrega: string
  valores: Readonly<Record<string, string>>
  documentos: Documentos
  recibidos: Partial<Record<ClaseDocumento, string[]>>
  mensaje: Mensaje | undefined
  errores: readonly ErrorCampo[]
  /** A draft that was being sent: it goes on by itself. */
  seguir: boolean
}

export interface TextosFormulario {
  advertencia: string
  pistas: Readonly<Record<ClaseDocumento, string>>
  /** What sending means, around the link to the privacy notice. */
  consentimiento: { antes: string; enlace: string; despues: string }
  exito: string
}

const ESPERAS: Readonly<Record<Espera, string>> = {
  sinConexion: 'Sin conexión: seguimos en cuanto vuelva la señal.',
  reintentando: 'La conexión va y viene; lo seguimos intentando.',
  ocupado: 'El sitio está recibiendo muchos archivos; seguimos en un momento.',
}

const LADOS_CREDENCIAL: readonly LadoCredencial[] = ['anverso', 'reverso']

const OTRA_PESTANA = 'Este registro está abierto en otra pestaña. Continúa en ella, o ciérrala y recarga esta página.'

interface FormularioProps {
  comienzo: Comienzo
  textos: TextosFormulario
  /** The registration is in; the form makes room for a new one. */
  onExito(): void
  /** Something of value was entered. */
  onBegin(): void
}

export function Formulario({ comienzo, textos, onExito, onBegin }: FormularioProps) {
  const form = useRef<HTMLFormElement>(null)
  const outcome = useRef<HTMLDivElement>(null)
  const submit = useRef<HTMLButtonElement>(null)
  const [entrega, setEntrega] = useState(comienzo.entrega)
  const [documentos, setDocumentos] = useState(comienzo.documentos)
  const [mensaje, setMensaje] = useState(comienzo.mensaje)
  /** By field; they outlive the message, each until its field is touched. */
  const [errores, setErrores] = useState(comienzo.errores)
  const [enviado, setEnviado] = useState(comienzo.seguir)
  const [enCurso, setEnCurso] = useState(false)
  const [espera, setEspera] = useState<Espera>()
  /** Bytes on their way, by file. */
  const [bytes, setBytes] = useState<Readonly<Record<string, number>>>({})
  /** Set before any render, so that the second press of a double click already finds it. */
  const sending = useRef<AbortController>(undefined)
  const writing = useRef<ReturnType<typeof setTimeout>>(undefined)
  const kept = useRef(CLASES_DOCUMENTO.some((clase) => comienzo.documentos[clase].length > 0))

  const latest = useRef({ entrega, documentos, enviado })
  latest.current = { entrega, documentos, enviado }

  const readValores = () => {
    const data = new FormData(form.current!)
    return Object.fromEntries(CAMPOS_TEXTO.map((campo) => [campo, String(data.get(campo) ?? '')]))
  }

  function remember() {
    if (!kept.current || !form.current) return
    const { entrega, documentos, enviado } = latest.current
    void saveBorrador({
      entrega,
      pestana: tabName(),
      enviado,
      guardado: Date.now(),
      valores: readValores(),
      archivos: CLASES_DOCUMENTO.flatMap((clase) => documentos[clase].map(({ id, url }) => ({ id, clase, url }))),
    })
  }
  useEffect(remember, [entrega, documentos, enviado])

  useEffect(() => {
    const life = new AbortController()
    takeBorrador(comienzo.entrega, life.signal).then((mine) => {
      if (life.signal.aborted || !comienzo.seguir) return
      if (!mine) return setMensaje({ message: OTRA_PESTANA })
      submit.current?.focus()
      void send()
    })
    return () => {
      life.abort()
      clearTimeout(writing.current)
      sending.current?.abort()
    }
  }, [])

  const setOf = (clase: ClaseDocumento, change: (before: readonly Elegido[]) => readonly Elegido[]) =>
    setDocumentos((all) => ({ ...all, [clase]: change(all[clase]) }))

  function choose(clase: ClaseDocumento, files: File[]): boolean {
    const refuse = (message: string, renombrar?: File[]) => {
      setMensaje({ message, junto: clase, ...(renombrar ? { renombrar } : {}) })
      return false
    }
    const misnamed = files.find(({ name }) => hasForbiddenCharacter(name))
    if (misnamed) return refuse(MENSAJES.caracteres(misnamed.name), files)
    const empty = files.find(({ size }) => size === 0)
    if (empty) return refuse(MENSAJES.archivoVacio(empty.name))
    const heavy = files.find(({ size }) => size > MAX_ARCHIVO_BYTES)
    if (heavy) return refuse(MENSAJES.archivoGrande(heavy.name))

    const before = documentos[clase]
    // A phone offers one photograph at a time: the second one completes the pair.
    const completes = ARCHIVOS_POR_CLASE[clase] === 2 && before.length === 1 && files.length === 1
    const added = files.map((file): Elegido => ({ id: newEntrega(), file, url: undefined }))
    const now = completes ? [...before, ...added] : added
    setOf(clase, () => now)
    setMensaje(undefined)
    mended(clase)
    kept.current = true
    onBegin()
    warmUp()
    for (const { id, file } of added) void saveFile(entrega, id, file)
    for (const one of completes ? [] : before) forget(one)
    void inspect(clase, now)
    return true
  }

  /** What takes reading the file: it is out again a moment later when its content is none of ours. */
  async function inspect(clase: ClaseDocumento, elegidos: readonly Elegido[]) {
    const refuse = (id: string, message: string) => {
      setOf(clase, (now) => now.filter((one) => one.id !== id))
      setMensaje({ message, junto: clase })
    }
    try {
      for (const { id, file } of elegidos) {
        const head = new Uint8Array(await file.slice(0, SNIFF_BYTES).arrayBuffer())
        if (!sniffContentType(head)) return refuse(id, MENSAJES.archivoTipo(file.name))
      }
      const [first, second] = elegidos
      if (first && second && (await haveSameBytes(first.file, second.file))) {
        refuse(second.id, MENSAJES.credencialRepetida)
      }
    } catch {
      // Unreadable now; sending says so if it stays that way.
    }
  }

  function remove(clase: ClaseDocumento, id: string) {
    for (const one of documentos[clase]) if (one.id === id) forget(one)
    setOf(clase, (before) => before.filter((one) => one.id !== id))
  }

  /** Neither this device nor the server keeps what is not wanted any more. */
  function forget({ id, url }: Elegido) {
    void discardFile(entrega, id)
    dropUpload(entrega, url)
  }

  function corrected(event: FormEvent<HTMLFormElement>) {
    const { name, type } = event.target as HTMLInputElement
    // What a file input brings is looked at in its own event, which follows.
    if (type === 'file') return
    mended(name)
    clearTimeout(writing.current)
    writing.current = setTimeout(remember, 400)
  }

  const mended = (campo: string) => setErrores((all) => all.filter((one) => one.campo !== campo))

  function reject(message: string, campos: readonly ErrorCampo[]) {
    setMensaje({ message })
    setErrores(campos)
    // After the render that shows it.
    requestAnimationFrame(() => outcome.current?.focus())
  }

  const avance: Avance = {
    onUrl: (id, url) =>
      setDocumentos((all) => {
        const next = { ...all }
        for (const clase of CLASES_DOCUMENTO) {
          next[clase] = all[clase].map((one) => (one.id === id ? { ...one, url } : one))
        }
        return next
      }),
    onSent: (id, sent) => setBytes((before) => ({ ...before, [id]: sent })),
    onReceived: () => setEspera(undefined),
    onWaiting: setEspera,
  }

  async function send() {
    if (sending.current || !form.current) return
    const { documentos, entrega } = latest.current
    const cuentas = Object.fromEntries(
      CLASES_DOCUMENTO.map((clase) => [clase, documentos[clase].length || (comienzo.recibidos[clase]?.length ?? 0)]),
    )
    const validacion = validateRegistro(readValores(), cuentas)
    if (!validacion.ok) {
      return reject(validacion.message, validacion.campos.map(explainUnreadable(form.current)))
    }

    const controller = new AbortController()
    sending.current = controller
    setEnCurso(true)
    setEnviado(true)
    setMensaje(undefined)
    setErrores([])
    const awake = await keepAwake()
    try {
      const archivos = CLASES_DOCUMENTO.flatMap((clase) =>
        documentos[clase].map(({ id, file, url }, side) => ({
          id,
          clase,
          lado: clase === 'credencialElector' ? LADOS_CREDENCIAL[side] : undefined,
          file,
          url,
        })),
      )
      const fin = await sendRegistro({ entrega, archivos, valores: readValores }, avance, controller.signal)
      if (fin.estado === 'sinCargador') {
        form.current.submit()
      } else if (fin.estado === 'rechazo') {
        const clase = archivos.find(({ id }) => id === fin.archivo)?.clase
        reject(fin.message, clase ? [{ campo: clase, message: fin.message }] : [])
      } else if (fin.resultado.ok) {
        kept.current = false
        clearTimeout(writing.current)
        await discardBorrador(entrega)
        onExito()
      } else {
        const { message, campos } = fin.resultado
        if (fin.resultado.entrega !== entrega) startOver(fin.resultado.entrega)
        else forgetUploads(campos)
        reject(message, campos)
      }
    } catch (error) {
      if (!controller.signal.aborted) throw error
    } finally {
      sending.current = undefined
      awake?.release().catch(() => {})
      setEnCurso(false)
      setEspera(undefined)
    }
  }

  /** The server has closed this entrega: the same data goes on under another one. */
  function startOver(next: string) {
    void discardBorrador(entrega)
    setEntrega(next)
    for (const clase of CLASES_DOCUMENTO) {
      for (const { id, file } of latest.current.documentos[clase]) void saveFile(next, id, file)
    }
    forgetUploads(CLASES_DOCUMENTO.map((campo) => ({ campo })))
  }

  /** What the server refused or lost is sent again from its first byte. */
  function forgetUploads(campos: readonly { campo: CampoRegistro }[]) {
    for (const clase of CLASES_DOCUMENTO) {
      if (campos.some(({ campo }) => campo === clase)) {
        setOf(clase, (before) => before.map((one) => ({ ...one, url: undefined })))
      }
    }
  }

  function press(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    void send()
  }

  const errorOf = (campo: CampoRegistro) => errores.find((one) => one.campo === campo)?.message
  const text = (campo: (typeof CAMPOS_TEXTO)[number]) => ({
    id: campo,
    name: campo,
    label: ETIQUETAS[campo],
    defaultValue: comienzo.valores[campo],
    error: errorOf(campo),
    required: true,
  })
  const elegidos = CLASES_DOCUMENTO.flatMap((clase) => documentos[clase])
  const total = sumOf(elegidos, ({ file }) => file.size)
  const sent = sumOf(elegidos, ({ id, file }) => Math.min(bytes[id] ?? 0, file.size))

  return (
    <form
      className={styles.form}
      ref={form}
      action="/registro#resultado"
      method="post"
      encType="multipart/form-data"
      noValidate
      onSubmit={press}
      onInput={corrected}
    >
      <input type="hidden" name="entrega" value={entrega} autoComplete="off" />

      <fieldset className={styles.set}>
        <legend className={styles.legend}>Tus datos</legend>
        <div className={styles.fields}>
          <TextField
            {...text('nombre')}
            className={styles.whole}
            type="text"
            placeholder="Nombre completo"
            autoComplete="name"
            autoCapitalize="words"
            spellCheck={false}
          />
          <TextField
            {...text('edad')}
            className={styles.third}
            type="number"
            placeholder="18 a 26 años"
            inputMode="numeric"
            autoComplete="off"
          />
          <TextField
            {...text('estatura')}
            className={styles.third}
            type="number"
            step="0.01"
            placeholder="1.66 sin zapatos"
            inputMode="decimal"
            autoComplete="off"
          />
          <SelectField {...text('gradoEstudio')} className={styles.half} options={GRADOS_ESTUDIO} autoComplete="off" />
          <TextField
            {...text('celular')}
            className={styles.half}
            type="tel"
            placeholder="10 dígitos"
            autoComplete="tel-national"
          />
        </div>
      </fieldset>

      <fieldset className={styles.set}>
        <legend className={styles.legend}>Tus documentos</legend>
        <Warning>{textos.advertencia}</Warning>
        <div className={styles.rows}>
          {CLASES_DOCUMENTO.map((clase) => {
            const mine = documentos[clase]
            const size = sumOf(mine, ({ file }) => file.size)
            const up = sumOf(mine, ({ id, file }) => Math.min(bytes[id] ?? 0, file.size))
            return (
              <div key={clase}>
                <Documento
                  clase={clase}
                  pista={textos.pistas[clase]}
                  elegidos={mine}
                  recibidos={comienzo.recibidos[clase] ?? []}
                  error={errorOf(clase)}
                  avance={enCurso && mine.length > 0 ? up / size : undefined}
                  fijo={enCurso}
                  onChoose={(files) => choose(clase, files)}
                  onRemove={(id) => remove(clase, id)}
                  onSwap={() => setOf(clase, (pair) => pair.toReversed())}
                />
                {mensaje?.junto === clase && (
                  <div className={styles.beside}>
                    <Banner tone="bad" message={mensaje.message}>
                      {mensaje.renombrar && <Renombrar files={mensaje.renombrar} onRename={(f) => choose(clase, f)} />}
                    </Banner>
                  </div>
                )}
              </div>
            )
          })}
        </div>
      </fieldset>

      <div className={styles.send}>
        <p className={styles.consent}>
          {textos.consentimiento.antes} <Link to="/aviso-de-privacidad">{textos.consentimiento.enlace}</Link>
          {textos.consentimiento.despues}
        </p>
        <Button className={styles.submit} type="submit" busy={enCurso} ref={submit}>
          {enCurso ? 'Subiendo información...' : 'Enviar Registro'}
        </Button>
      </div>

      {enCurso && (
        <div className={styles.sending}>
          <Progress label="Avance del registro" value={total === 0 ? 1 : sent / total} size="wide" />
          <p className={styles.figures}>
            <span>
              {formatSize(sent)} de {formatSize(total)}
            </span>
            <span>{percent(total === 0 ? 1 : sent / total)}</span>
          </p>
          <p className={styles.waiting} role="status">
            {espera ? ESPERAS[espera] : ''}
          </p>
          <Button className={styles.stop} look="quiet" onClick={() => sending.current?.abort()}>
            Detener
          </Button>
        </div>
      )}

      <div className={styles.outcome} id="resultado">
        {mensaje && !mensaje.junto && (
          <Banner tone="bad" message={mensaje.message} ref={outcome}>
            {errores.length > 0 && <Resumen campos={errores} />}
          </Banner>
        )}
      </div>
    </form>
  )
}

/** Every field to mend, one press away. */
const Resumen = ({ campos }: { campos: readonly ErrorCampo[] }) => (
  <ul className={styles.summary}>
    {campos.map(({ campo, message }) => (
      <li key={campo}>
        <a
          href={`#${campo}`}
          onClick={(event) => {
            event.preventDefault()
            document.getElementById(campo)?.focus()
          }}
        >
          {ETIQUETAS[campo]}
        </a>
        : {message}
      </li>
    ))}
  </ul>
)

function Renombrar({ files, onRename }: { files: File[]; onRename: (files: File[]) => void }) {
  const names = files.filter(({ name }) => hasForbiddenCharacter(name)).map(({ name }) => `«${cleanFileName(name)}»`)
  return (
    <Button look="outline" onClick={() => onRename(files.map(renamed))}>
      Usarlo como {names.join(' y ')}
    </Button>
  )
}

const renamed = (file: File) =>
  hasForbiddenCharacter(file.name)
    ? new File([file], cleanFileName(file.name), { type: file.type, lastModified: file.lastModified })
    : file

/** A number field hands over nothing at all when what was typed is no number; then «missing» would puzzle. */
const explainUnreadable =
  (form: HTMLFormElement) =>
  (error: ErrorCampo): ErrorCampo => {
    const control = form.elements.namedItem(error.campo)
    const unreadable = control instanceof HTMLInputElement && control.validity.badInput
    return unreadable && (error.campo === 'edad' || error.campo === 'estatura')
      ? { ...error, message: MENSAJES[error.campo] }
      : error
  }

async function haveSameBytes(one: File, other: File): Promise<boolean> {
  if (one.size !== other.size) return false
  const [a, b] = await Promise.all([one.arrayBuffer(), other.arrayBuffer()])
  const [left, right] = [new Uint8Array(a), new Uint8Array(b)]
  return left.every((byte, at) => byte === right[at])
}

/** A phone that falls asleep stops sending. Not everywhere there, never needed. */
const keepAwake = () => navigator.wakeLock?.request('screen').catch(() => undefined)

const sumOf = <T,>(list: readonly T[], value: (item: T) => number) => list.reduce((sum, item) => sum + value(item), 0)
