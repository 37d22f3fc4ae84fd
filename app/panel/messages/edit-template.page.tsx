import { useEffect, useRef, useState } from 'react'
import { data, Form } from 'react-router'
import { autorDe } from '#app/accounts/guards.server.ts'
import { abrirPuerta, requireOrganizacion } from '#app/accounts/sign-in/login-wall.server.ts'
import { cabeza } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { enFecha } from '#app/core/time/mexico-dates.ts'
import { SIN_ESPACIO, STATUS_SIN_ESPACIO, unlessFull } from '#app/core/uploads/disk-space.server.ts'
import { listPlantillas } from '#app/entries/messages/data.server.ts'
import { guardarPalabras } from '#app/entries/messages/mutations.server.ts'
import { readOcasion, revisarPalabras } from '#app/entries/messages/rules.ts'
import {
  HUECOS,
  type Hueco,
  huecosDe,
  MAXIMOS,
  NOMBRE_DE_OCASION,
  type Palabras,
} from '#app/entries/messages/schema.ts'
import inscripcion from '#app/panel/entry/entry.module.css'
import formas from '#app/panel/forms.module.css'
import { Encabezado } from '#app/panel/heading.tsx'
import { Aviso } from '#app/panel/notice.tsx'
import { campoDe, toId } from '#app/panel/rules.ts'
import { useUnaVez } from '#app/panel/use-submit-once.ts'
import { TextAreaField, TextField } from '#app/ui/forms/field.tsx'
import { Enlace } from '#app/ui/links/link.tsx'
import { Button } from '#app/ui/primitives/button.tsx'
import type { Route } from './+types/edit-template.page'
import { VistaDeCarta } from './letter-preview.tsx'
import styles from './messages.module.css'

const notFound = () => data('Esa carta no existe. Vuelve a «Mensajes» y elígela ahí.', { status: 404 })

export async function loader({ params, request, context }: Route.LoaderArgs) {
  // The frame shows the door instead of this screen.
  if (!(await abrirPuerta(request, context, 'mensajes')).abierta) return null
  const ocasion = readOcasion(params.ocasion)
  if (!ocasion) throw notFound()
  const versiones = await listPlantillas(servicesOf(context).services.db, ocasion)
  const asked = new URL(request.url).searchParams.get('version')
  const elegida = versiones.find(({ version }) => String(version) === asked)
  return { ocasion, versiones, elegida: elegida ?? versiones[0]!, esAnterior: elegida !== undefined }
}

const CAMPOS = ['asunto', 'titulo', 'texto'] as const

export async function action({ params, request, context }: Route.ActionArgs) {
  const sesion = await requireOrganizacion(request, context, 'mensajes')
  const { services } = servicesOf(context)
  const ocasion = readOcasion(params.ocasion)
  if (!ocasion) throw notFound()
  const form = await request.formData()
  const [asunto, titulo, texto] = CAMPOS.map((campo) => campoDe(form, campo).replaceAll('\r\n', '\n'))
  const palabras: Palabras = { asunto: asunto!, titulo: titulo!, texto: texto! }
  const hecho = await unlessFull(services, () =>
    guardarPalabras(
      services.db,
      { ocasion, vista: toId(form.get('vista')), palabras, at: services.clock.now() },
      autorDe(context, sesion),
    ),
  )
  const refuse = (mensaje: string, status: number) => data({ ok: false as const, mensaje, palabras }, { status })
  if (hecho.ok) return { ok: true as const, mensaje: 'Guardado: desde ahora las cartas salen con estas palabras.' }
  if (hecho.reason === 'sin-espacio') return refuse(SIN_ESPACIO, STATUS_SIN_ESPACIO)
  if (hecho.reason === 'reparos') return refuse(hecho.reparos[0]!.mensaje, 422)
  const quien = hecho.ahora.quien ?? 'otra persona'
  return refuse(
    `No se guardó: mientras tanto ${quien} cambió esta carta. Lo que escribiste sigue aquí; abajo están sus palabras. Si guardas otra vez, quedan las tuyas.`,
    409,
  )
}

export { Falla as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'
export { revalidateAfterClash as shouldRevalidate } from '#app/panel/rules.ts'

export const meta: Route.MetaFunction = (args) => cabeza({ pantalla: 'Carta' }, args)

/** How long after the last key the letter is shown anew. */
const QUIET_MS = 500

/** The words of one letter, beside the letter itself. */
export default function Carta({ loaderData, actionData }: Route.ComponentProps) {
  if (!loaderData) return null
  const { ocasion, versiones, elegida, esAnterior } = loaderData
  const rechazadas = actionData?.ok === false ? actionData.palabras : undefined
  const [ahora, ...anteriores] = versiones
  return (
    <>
      <p className={inscripcion.regreso}>
        <Enlace to="/organizadores/mensajes">Mensajes</Enlace>
      </p>
      <Encabezado titulo={`Carta: ${NOMBRE_DE_OCASION[ocasion].toLowerCase()}`} />
      {actionData && <Aviso hecho={actionData} />}
      {rechazadas && actionData?.ok === false && actionData.mensaje.includes('mientras tanto') && ahora && (
        <div className={styles.clash}>
          <b>{ahora.asunto}</b>
          {`\n${ahora.titulo}\n\n${ahora.texto}`}
        </div>
      )}
      {esAnterior && !actionData && (
        <p className={formas.entrada}>
          Estás viendo {elegida.version === 0 ? 'las palabras que trae el sitio' : `la versión ${elegida.version}`}. Si
          las guardas, son las que salen desde ahora.
        </p>
      )}
      <Editor
        key={`${ocasion} ${elegida.version}`}
        ocasion={ocasion}
        vista={ahora!.version}
        comienzo={rechazadas ?? elegida}
      />
      <section className={styles.parte} aria-labelledby="versiones">
        <h2 id="versiones">Versiones anteriores</h2>
        {anteriores.length === 0 ? (
          <p className={styles.detalle}>Todavía nadie la ha cambiado: éstas son las palabras que trae el sitio.</p>
        ) : (
          <ul className={styles.versiones}>
            {anteriores.map(({ version, asunto, quien, at }) => (
              <li key={version}>
                <Enlace to={`?version=${version}`}>
                  {version === 0 ? 'Las palabras que trae el sitio' : `Versión ${version}`}
                </Enlace>
                <span>{asunto}</span>
                {at && (
                  <span className={styles.detalle}>
                    {quien ?? 'Una cuenta que ya no está'}, {enFecha(at)}
                  </span>
                )}
              </li>
            ))}
          </ul>
        )}
      </section>
    </>
  )
}

interface EditorProps {
  ocasion: NonNullable<ReturnType<typeof readOcasion>>
  /** The version that would be replaced. */
  vista: number
  comienzo: Palabras
}

function Editor({ ocasion, vista, comienzo }: EditorProps) {
  const { busy, once } = useUnaVez()
  const [palabras, setPalabras] = useState<Palabras>({
    ...{ asunto: comienzo.asunto, titulo: comienzo.titulo, texto: comienzo.texto },
  })
  const last = useRef<HTMLInputElement | HTMLTextAreaElement>(null)
  const reparos = revisarPalabras(ocasion, palabras)
  const errorOf = (campo: keyof Palabras) => reparos.find((one) => one.campo === campo)?.mensaje
  const shown = useAlCallar(palabras, reparos.length === 0)
  const comun = (campo: keyof Palabras) => ({
    ...{ id: campo, name: campo, value: palabras[campo], error: errorOf(campo), autoComplete: 'off', required: true },
    onFocus: (event: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => {
      last.current = event.currentTarget
    },
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget
      setPalabras((was) => ({ ...was, [campo]: value }))
    },
  })
  const poner = (hueco: Hueco) => {
    const field = last.current ?? (document.getElementById('texto') as HTMLTextAreaElement | null)
    if (!field) return
    const [from, to] = [field.selectionStart ?? field.value.length, field.selectionEnd ?? field.value.length]
    const put = `{${hueco}}`
    const value = field.value.slice(0, from) + put + field.value.slice(to)
    setPalabras((was) => ({ ...was, [field.name]: value }))
    requestAnimationFrame(() => {
      field.focus()
      field.setSelectionRange(from + put.length, from + put.length)
    })
  }
  return (
    <div className={styles.mesa}>
      <Form method="post" className={styles.forma} onSubmit={once} noValidate>
        <input type="hidden" name="vista" value={vista} />
        <TextField {...comun('asunto')} label="Asunto del correo" maxLength={MAXIMOS.asunto * 2} />
        <TextField {...comun('titulo')} label="Título de la carta" maxLength={MAXIMOS.titulo * 2} />
        <TextAreaField
          {...comun('texto')}
          label="Texto de la carta"
          rows={14}
          hint="Cada renglón es un párrafo. Un renglón con {nota} no sale cuando no hay nota."
        />
        <div>
          <p className={styles.detalle} id="huecos">
            Toca un dato para ponerlo donde estás escribiendo. En cada correo va el de cada persona:
          </p>
          <ul className={styles.huecos} aria-labelledby="huecos">
            {huecosDe(ocasion).map((hueco) => (
              <li key={hueco}>
                <button type="button" onClick={() => poner(hueco)}>
                  {HUECOS[hueco]} <code>{`{${hueco}}`}</code>
                </button>
              </li>
            ))}
          </ul>
        </div>
        <p className={styles.botones}>
          <Button type="submit" look="main" busy={busy}>
            Guardar la carta
          </Button>
          <Enlace to="/organizadores/mensajes">Dejarla como estaba</Enlace>
        </p>
      </Form>
      <VistaDeCarta titulo="Así llega" params={{ ocasion, ...shown }} />
    </div>
  )
}

/** The words once nobody types, and only while they can be shown: what was shown last stays. */
function useAlCallar(palabras: Palabras, isRight: boolean): Palabras {
  const [shown, setShown] = useState(palabras)
  useEffect(() => {
    if (!isRight) return
    const timer = setTimeout(() => setShown(palabras), QUIET_MS)
    return () => clearTimeout(timer)
  }, [palabras, isRight])
  return shown
}
