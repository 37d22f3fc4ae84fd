import { useEffect, useState } from 'react'
import { data, Form } from 'react-router'
import { actorOf } from '#app/accounts/guards.server.ts'
import { checkLoginWall, requireOrganiser } from '#app/accounts/sign-in/login-wall.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { formatDateTime } from '#app/core/time/mexico-dates.ts'
import { DISK_FULL_MESSAGE, DISK_FULL_STATUS, withDiskFullRefusal } from '#app/core/uploads/disk-space.server.ts'
import { listTemplateVersions } from '#app/entries/letters/data.server.ts'
import { saveTemplate } from '#app/entries/letters/mutations.server.ts'
import { checkLetterTexts, parseOccasion } from '#app/entries/letters/rules.ts'
import { type LetterTexts, MAX_LETTER_CHARACTERS, OCCASION_NAMES } from '#app/entries/letters/schema.ts'
import entryStyles from '#app/panel/entry/entry.module.css'
import formStyles from '#app/panel/forms.module.css'
import { OutcomeNotice } from '#app/panel/outcome-notice.tsx'
import { parseId, readField } from '#app/panel/rules.ts'
import { ScreenHeading } from '#app/panel/screen-heading.tsx'
import { useSubmitOnce } from '#app/panel/use-submit-once.ts'
import { Button } from '#app/ui/components/button.tsx'
import { TextAreaField, TextField } from '#app/ui/forms/field.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import type { Route } from './+types/edit-template.page'
import { LetterPreview } from './letter-preview.tsx'
import styles from './messages.module.css'
import { PlaceholderButtons } from './placeholder-buttons.tsx'

const notFoundResponse = () => data('Esa carta no existe. Vuelve a «Mensajes» y elígela ahí.', { status: 404 })

export async function loader({ params, request, context }: Route.LoaderArgs) {
  if (!(await checkLoginWall(request, context, 'mensajes')).isOpen) return null
  const occasion = parseOccasion(params.ocasion)
  if (!occasion) throw notFoundResponse()
  const versions = await listTemplateVersions(servicesOf(context).services.db, occasion)
  const requestedVersion = new URL(request.url).searchParams.get('version')
  const chosenVersion = versions.find(({ version }) => String(version) === requestedVersion)
  return { occasion, versions, chosenVersion: chosenVersion ?? versions[0]!, isPrevious: chosenVersion !== undefined }
}

export async function action({ params, request, context }: Route.ActionArgs) {
  const session = await requireOrganiser(request, context, 'mensajes')
  const { services } = servicesOf(context)
  const occasion = parseOccasion(params.ocasion)
  if (!occasion) throw notFoundResponse()
  const form = await request.formData()
  const fieldText = (name: keyof LetterTexts) => readField(form, name).replaceAll('\r\n', '\n')
  const texts: LetterTexts = { asunto: fieldText('asunto'), titulo: fieldText('titulo'), texto: fieldText('texto') }
  const saveResult = await withDiskFullRefusal(services, () =>
    saveTemplate(
      services.db,
      { occasion, baseVersion: parseId(form.get('vista')), texts, at: services.clock.now() },
      actorOf(context, session),
    ),
  )
  const refuse = (message: string, status: number, isConflict = false) =>
    data({ ok: false as const, message, texts, isConflict }, { status })
  if (saveResult.ok) return { ok: true as const, message: 'Guardado: desde ahora las cartas salen con estas palabras.' }
  if (saveResult.reason === 'sin-espacio') return refuse(DISK_FULL_MESSAGE, DISK_FULL_STATUS)
  if (saveResult.reason === 'faults') return refuse(saveResult.problems[0]!.message, 422)
  const authorName = saveResult.current.author ?? 'otra persona'
  return refuse(
    `No se guardó: mientras tanto ${authorName} cambió esta carta. Lo que escribiste sigue aquí; abajo están sus palabras. Si guardas otra vez, quedan las tuyas.`,
    409,
    true,
  )
}

export { PanelErrorBoundary as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'
export { revalidateAfterConflict as shouldRevalidate } from '#app/panel/rules.ts'

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Carta' }, args)

/** Time from the last keystroke to the preview's reload. */
const PREVIEW_DELAY_MS = 500

/** Shows the editor of a letter's template, a preview of the letter, and earlier versions of the template. */
export default function EditTemplatePage({ loaderData, actionData }: Route.ComponentProps) {
  if (!loaderData) return null
  const { occasion, versions, chosenVersion, isPrevious } = loaderData
  const refusedTexts = actionData?.ok === false ? actionData.texts : undefined
  const [currentVersion, ...earlierVersions] = versions
  return (
    <>
      <p className={entryStyles.wayBack}>
        <Link to="/organizadores/mensajes">Mensajes</Link>
      </p>
      <ScreenHeading title={`Carta: ${OCCASION_NAMES[occasion].toLowerCase()}`} />
      {actionData && <OutcomeNotice outcome={actionData} />}
      {actionData?.ok === false && actionData.isConflict && currentVersion && (
        <div className={styles.conflict}>
          <b>{currentVersion.asunto}</b>
          {`\n${currentVersion.titulo}\n\n${currentVersion.texto}`}
        </div>
      )}
      {isPrevious && !actionData && (
        <p className={formStyles.lead}>
          Estás viendo{' '}
          {chosenVersion.version === 0 ? 'las palabras que trae el sitio' : `la versión ${chosenVersion.version}`}. Si
          las guardas, son las que salen desde ahora.
        </p>
      )}
      <TemplateEditor
        key={`${occasion} ${chosenVersion.version}`}
        occasion={occasion}
        replacedVersion={currentVersion!.version}
        initialTexts={refusedTexts ?? chosenVersion}
      />
      <section className={styles.part} aria-labelledby="versiones">
        <h2 id="versiones">Versiones anteriores</h2>
        {earlierVersions.length === 0 ? (
          <p className={styles.details}>Todavía nadie la ha cambiado: éstas son las palabras que trae el sitio.</p>
        ) : (
          <ul className={styles.versions}>
            {earlierVersions.map(({ version, asunto, author, at }) => (
              <li key={version}>
                <Link to={`?version=${version}`}>
                  {version === 0 ? 'Las palabras que trae el sitio' : `Versión ${version}`}
                </Link>
                <span>{asunto}</span>
                {at && (
                  <span className={styles.details}>
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
  /** Version that saving replaces; if another one is current by then, saving is refused. */
  replacedVersion: number
  initialTexts: LetterTexts
}

const FIELD_NAMES: readonly (keyof LetterTexts)[] = ['asunto', 'titulo', 'texto']

function TemplateEditor({ occasion, replacedVersion, initialTexts }: EditorProps) {
  const { isBusy, preventResubmit } = useSubmitOnce()
  const [texts, setTexts] = useState<LetterTexts>({
    asunto: initialTexts.asunto,
    titulo: initialTexts.titulo,
    texto: initialTexts.texto,
  })
  const problems = checkLetterTexts(occasion, texts)
  const errorOf = (field: keyof LetterTexts) => problems.find((problem) => problem.field === field)?.message
  const previewTexts = useDebouncedTexts(texts, problems.length === 0)
  const fieldProps = (field: keyof LetterTexts) => ({
    id: field,
    name: field,
    value: texts[field],
    error: errorOf(field),
    autoComplete: 'off',
    required: true,
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget
      setTexts((previousTexts) => ({ ...previousTexts, [field]: value }))
    },
  })
  return (
    <div className={styles.columns}>
      <Form method="post" className={styles.form} onSubmit={preventResubmit} noValidate>
        <input type="hidden" name="vista" value={replacedVersion} />
        {/* An emoji counts once in checkLetterTexts but twice for maxLength, so the inputs admit twice as many. */}
        <TextField {...fieldProps('asunto')} label="Asunto del correo" maxLength={MAX_LETTER_CHARACTERS.asunto * 2} />
        <TextField {...fieldProps('titulo')} label="Título de la carta" maxLength={MAX_LETTER_CHARACTERS.titulo * 2} />
        <PlaceholderButtons type={occasion} fieldNames={FIELD_NAMES} />
        <TextAreaField
          {...fieldProps('texto')}
          label="Texto de la carta"
          rows={14}
          hint="Cada renglón es un párrafo. Un renglón con {nota} no sale cuando no hay nota."
        />
        <p className={styles.buttons}>
          <Button type="submit" look="main" isBusy={isBusy}>
            Guardar la carta
          </Button>
          <Link to="/organizadores/mensajes">Dejarla como estaba</Link>
        </p>
      </Form>
      <LetterPreview title="Así llega" params={{ ocasion: occasion, ...previewTexts }} />
    </div>
  )
}

/** Returns the texts after a pause in typing; while they are invalid, the texts from before. */
function useDebouncedTexts(texts: LetterTexts, isValid: boolean): LetterTexts {
  const [debouncedTexts, setDebouncedTexts] = useState(texts)
  useEffect(() => {
    if (!isValid) return
    const timer = setTimeout(() => setDebouncedTexts(texts), PREVIEW_DELAY_MS)
    return () => clearTimeout(timer)
  }, [texts, isValid])
  return debouncedTexts
}
