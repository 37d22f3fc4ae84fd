import { useEffect, useRef, useState } from 'react'
import { data, Form } from 'react-router'
import { actorOf } from '#app/accounts/guards.server.ts'
import { checkLoginWall, requireOrganiser } from '#app/accounts/sign-in/login-wall.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { formatDateTime } from '#app/core/time/mexico-dates.ts'
import { DISK_FULL_MESSAGE, DISK_FULL_STATUS, refuseIfDiskFull } from '#app/core/uploads/disk-space.server.ts'
import { listTemplateVersions } from '#app/entries/letters/data.server.ts'
import { saveTemplate } from '#app/entries/letters/mutations.server.ts'
import { checkLetterTexts, parseOccasion } from '#app/entries/letters/rules.ts'
import {
  type LetterTexts,
  MAX_LETTER_CHARACTERS,
  OCCASION_NAMES,
  PLACEHOLDERS,
  type Placeholder,
  placeholdersOf,
} from '#app/entries/letters/schema.ts'
import entry from '#app/panel/entry/entry.module.css'
import forms from '#app/panel/forms.module.css'
import { Heading } from '#app/panel/heading.tsx'
import { Notice } from '#app/panel/notice.tsx'
import { readField, toId } from '#app/panel/rules.ts'
import { useSubmitOnce } from '#app/panel/use-submit-once.ts'
import { Button } from '#app/ui/components/button.tsx'
import { TextAreaField, TextField } from '#app/ui/forms/field.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import type { Route } from './+types/edit-template.page'
import { LetterPreview } from './letter-preview.tsx'
import styles from './messages.module.css'

const notFound = () => data('Esa carta no existe. Vuelve a «Mensajes» y elígela ahí.', { status: 404 })

export async function loader({ params, request, context }: Route.LoaderArgs) {
  // The frame shows the login wall instead of this screen.
  if (!(await checkLoginWall(request, context, 'mensajes')).isOpen) return null
  const occasion = parseOccasion(params.ocasion)
  if (!occasion) throw notFound()
  const versions = await listTemplateVersions(servicesOf(context).services.db, occasion)
  const requestedVersion = new URL(request.url).searchParams.get('version')
  const chosenVersion = versions.find(({ version }) => String(version) === requestedVersion)
  return { occasion, versions, chosenVersion: chosenVersion ?? versions[0]!, isPrevious: chosenVersion !== undefined }
}

const FIELDS = ['asunto', 'titulo', 'texto'] as const

export async function action({ params, request, context }: Route.ActionArgs) {
  const session = await requireOrganiser(request, context, 'mensajes')
  const { services } = servicesOf(context)
  const occasion = parseOccasion(params.ocasion)
  if (!occasion) throw notFound()
  const form = await request.formData()
  const [subject, title, text] = FIELDS.map((field) => readField(form, field).replaceAll('\r\n', '\n'))
  const words: LetterTexts = { asunto: subject!, titulo: title!, texto: text! }
  const saveResult = await refuseIfDiskFull(services, () =>
    saveTemplate(
      services.db,
      { occasion, baseVersion: toId(form.get('vista')), texts: words, at: services.clock.now() },
      actorOf(context, session),
    ),
  )
  const refuse = (message: string, status: number, isClash = false) =>
    data({ ok: false as const, message, words, isClash }, { status })
  if (saveResult.ok) return { ok: true as const, message: 'Guardado: desde ahora las cartas salen con estas palabras.' }
  if (saveResult.reason === 'sin-espacio') return refuse(DISK_FULL_MESSAGE, DISK_FULL_STATUS)
  if (saveResult.reason === 'faults') return refuse(saveResult.problems[0]!.message, 422)
  const authorText = saveResult.current.author ?? 'otra persona'
  return refuse(
    `No se guardó: mientras tanto ${authorText} cambió esta carta. Lo que escribiste sigue aquí; abajo están sus palabras. Si guardas otra vez, quedan las tuyas.`,
    409,
    true,
  )
}

export { PanelErrorBoundary as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'
export { revalidateAfterClash as shouldRevalidate } from '#app/panel/rules.ts'

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Carta' }, args)

/** The preview reloads this many milliseconds after the last keystroke. */
const PREVIEW_DELAY_MS = 500

/** Shows the editor of one letter's words, a preview of the letter, and the earlier versions. */
export default function EditTemplateScreen({ loaderData, actionData }: Route.ComponentProps) {
  if (!loaderData) return null
  const { occasion, versions, chosenVersion, isPrevious } = loaderData
  const refusedWords = actionData?.ok === false ? actionData.words : undefined
  const [currentVersion, ...earlierVersions] = versions
  return (
    <>
      <p className={entry.wayBack}>
        <Link to="/organizadores/mensajes">Mensajes</Link>
      </p>
      <Heading title={`Carta: ${OCCASION_NAMES[occasion].toLowerCase()}`} />
      {actionData && <Notice outcome={actionData} />}
      {actionData?.ok === false && actionData.isClash && currentVersion && (
        <div className={styles.clash}>
          <b>{currentVersion.asunto}</b>
          {`\n${currentVersion.titulo}\n\n${currentVersion.texto}`}
        </div>
      )}
      {isPrevious && !actionData && (
        <p className={forms.lead}>
          Estás viendo{' '}
          {chosenVersion.version === 0 ? 'las palabras que trae el sitio' : `la versión ${chosenVersion.version}`}. Si
          las guardas, son las que salen desde ahora.
        </p>
      )}
      <Editor
        key={`${occasion} ${chosenVersion.version}`}
        occasion={occasion}
        replacedVersion={currentVersion!.version}
        initialWords={refusedWords ?? chosenVersion}
      />
      <section className={styles.part} aria-labelledby="versiones">
        <h2 id="versiones">Versiones anteriores</h2>
        {earlierVersions.length === 0 ? (
          <p className={styles.detail}>Todavía nadie la ha cambiado: éstas son las palabras que trae el sitio.</p>
        ) : (
          <ul className={styles.versions}>
            {earlierVersions.map(({ version, asunto, author, at }) => (
              <li key={version}>
                <Link to={`?version=${version}`}>
                  {version === 0 ? 'Las palabras que trae el sitio' : `Versión ${version}`}
                </Link>
                <span>{asunto}</span>
                {at && (
                  <span className={styles.detail}>
                    {author ?? 'Una cuenta que ya no está'}, {formatDateTime(at)}
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
  occasion: NonNullable<ReturnType<typeof parseOccasion>>
  /** Saving replaces this version; if another version is current by then, saving is refused. */
  replacedVersion: number
  initialWords: LetterTexts
}

function Editor({ occasion, replacedVersion, initialWords }: EditorProps) {
  const { isBusy, once } = useSubmitOnce()
  const [words, setWords] = useState<LetterTexts>({
    asunto: initialWords.asunto,
    titulo: initialWords.titulo,
    texto: initialWords.texto,
  })
  const lastFocusedField = useRef<HTMLInputElement | HTMLTextAreaElement>(null)
  const problems = checkLetterTexts(occasion, words)
  const errorOf = (field: keyof LetterTexts) => problems.find((one) => one.field === field)?.message
  const shownWords = useDebouncedWords(words, problems.length === 0)
  const fieldProps = (field: keyof LetterTexts) => ({
    id: field,
    name: field,
    value: words[field],
    error: errorOf(field),
    autoComplete: 'off',
    required: true,
    onFocus: (event: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => {
      lastFocusedField.current = event.currentTarget
    },
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget
      setWords((currentWords) => ({ ...currentWords, [field]: value }))
    },
  })
  const insertPlaceholder = (placeholder: Placeholder) => {
    const field = lastFocusedField.current ?? (document.getElementById('texto') as HTMLTextAreaElement | null)
    if (!field) return
    const [from, to] = [field.selectionStart ?? field.value.length, field.selectionEnd ?? field.value.length]
    const placeholderText = `{${placeholder}}`
    const value = field.value.slice(0, from) + placeholderText + field.value.slice(to)
    setWords((currentWords) => ({ ...currentWords, [field.name]: value }))
    requestAnimationFrame(() => {
      field.focus()
      field.setSelectionRange(from + placeholderText.length, from + placeholderText.length)
    })
  }
  return (
    <div className={styles.columns}>
      <Form method="post" className={styles.form} onSubmit={once} noValidate>
        <input type="hidden" name="vista" value={replacedVersion} />
        <TextField {...fieldProps('asunto')} label="Asunto del correo" maxLength={MAX_LETTER_CHARACTERS.asunto * 2} />
        <TextField {...fieldProps('titulo')} label="Título de la carta" maxLength={MAX_LETTER_CHARACTERS.titulo * 2} />
        <TextAreaField
          {...fieldProps('texto')}
          label="Texto de la carta"
          rows={14}
          hint="Cada renglón es un párrafo. Un renglón con {nota} no sale cuando no hay nota."
        />
        <div>
          <p className={styles.detail} id="huecos">
            Toca un dato para ponerlo donde estás escribiendo. En cada correo va el de cada persona:
          </p>
          <ul className={styles.placeholders} aria-labelledby="huecos">
            {placeholdersOf(occasion).map((placeholder) => (
              <li key={placeholder}>
                <button type="button" onClick={() => insertPlaceholder(placeholder)}>
                  {PLACEHOLDERS[placeholder]} <code>{`{${placeholder}}`}</code>
                </button>
              </li>
            ))}
          </ul>
        </div>
        <p className={styles.buttons}>
          <Button type="submit" look="main" isBusy={isBusy}>
            Guardar la carta
          </Button>
          <Link to="/organizadores/mensajes">Dejarla como estaba</Link>
        </p>
      </Form>
      <LetterPreview title="Así llega" params={{ ocasion: occasion, ...shownWords }} />
    </div>
  )
}

/** Returns the words after a pause in typing; while they are invalid, the last valid words. */
function useDebouncedWords(words: LetterTexts, isValid: boolean): LetterTexts {
  const [shownWords, setShownWords] = useState(words)
  useEffect(() => {
    if (!isValid) return
    const timer = setTimeout(() => setShownWords(words), PREVIEW_DELAY_MS)
    return () => clearTimeout(timer)
  }, [words, isValid])
  return shownWords
}
