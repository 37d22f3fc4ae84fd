import { Form } from 'react-router'
import { actorOf } from '#app/accounts/guards.server.ts'
import { checkLoginWall, requireOrganiser, requireReauthentication } from '#app/accounts/sign-in/login-wall.server.ts'
import { writeAuditLog } from '#app/audit/mutations.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { formatLongDateTimeWithZone } from '#app/core/time/mexico-dates.ts'
import { readBackupStatus } from '#app/ops/backup/data.server.ts'
import { ownBackupKey, readOwnKey, saveKeyNoted } from '#app/ops/backup/own-key.server.ts'
import { Button } from '#app/ui/components/button.tsx'
import type { Route } from './+types/status.page'
import { listDiagnoses } from './data.server.ts'
import { remedyForCommittee } from './rules.ts'
import type { HealthLevel, StoredDiagnosis } from './schema.ts'
import styles from './status.module.css'

export async function loader({ request, context }: Route.LoaderArgs) {
  if (!(await checkLoginWall(request, context, 'estado')).isOpen) return null
  const { db, settings } = servicesOf(context).services
  const { isUsed, isNoted } = await readOwnKey(db, settings)
  return {
    diagnoses: await listDiagnoses(db),
    hasMailServer: settings.smtpUrl !== undefined,
    hasOwnKey: isUsed,
    isNoted,
    // Only an encrypted backup at the site's own destination may be downloaded.
    hasEncryptedBackup:
      settings.backupUrl !== undefined &&
      (isUsed || settings.backupKey !== undefined) &&
      (await readBackupStatus(db, settings.backupUrl)).latest !== undefined,
  }
}

export async function action({ request, context }: Route.ActionArgs) {
  const session = await requireOrganiser(request, context, 'estado')
  const { db, keyed } = servicesOf(context).services
  const form = await request.formData()
  const actor = actorOf(context, session)
  if (form.get('hacer') === 'anotada') {
    await saveKeyNoted(db, actor)
    return { backupKey: undefined }
  }
  await requireReauthentication(request, context, session, form)
  await writeAuditLog(db, actor, { que: 'respaldo.clave.vista' })
  return { backupKey: ownBackupKey(keyed) }
}

export { PanelErrorBoundary as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Estado' }, args)

const LEVEL_LABELS: Record<HealthLevel, string> = { ok: 'Bien', aviso: 'Revisar', falla: 'No funciona' }

const SUMMARIES: Record<HealthLevel, string> = {
  ok: 'Todo está bien.',
  aviso: 'El sitio funciona. Hay algo que conviene revisar.',
  falla: 'Algo no funciona. Abajo dice qué hacer.',
}

export default function StatusPage({ loaderData, actionData }: Route.ComponentProps) {
  if (!loaderData) return null
  const { diagnoses, hasMailServer, hasOwnKey, isNoted, hasEncryptedBackup } = loaderData
  const worstLevel = diagnoses[0]?.nivel
  return (
    <>
      <h1 className={styles.title}>Estado</h1>
      {worstLevel === undefined ? (
        <p className={styles.summary}>El sitio acaba de arrancar y todavía se está revisando. Vuelve en un minuto.</p>
      ) : (
        <p className={styles.summary} data-level={worstLevel}>
          {SUMMARIES[worstLevel]}
        </p>
      )}
      <ul className={styles.list}>
        {diagnoses.map((diagnosis) => (
          <DiagnosisItem key={diagnosis.de} {...diagnosis} />
        ))}
      </ul>
      {diagnoses[0] && (
        <p className={styles.footer}>
          El sitio se revisa solo cada minuto; lo de otras máquinas, cada diez. Lo último:{' '}
          {formatLongDateTimeWithZone(lastCheckOf(diagnoses))}. Cuando algo deja de funcionar, el panel lo dice arriba
          en cuanto entras
          {hasMailServer
            ? ', y te llega un correo, y otro cuando se compone'
            : '; por correo no, porque no hay servidor de correo'}
          .
        </p>
      )}
      {hasEncryptedBackup && (
        <p className={styles.footer}>
          <a href="/organizadores/estado/copia" download>
            Llevarme la copia más reciente, cifrada (ZIP)
          </a>
          . Guárdala lejos del servidor, y su clave en otro lugar. Para usarla se abre el ZIP en una carpeta y se
          restaura de ella.
        </p>
      )}
      {hasOwnKey && <BackupKey backupKey={actionData?.backupKey} isNoted={isNoted} />}
    </>
  )
}

function BackupKey({ backupKey, isNoted }: { backupKey: string | undefined; isNoted: boolean }) {
  return (
    <Form method="post" className={styles.backupKey} aria-labelledby="clave">
      <h2 id="clave">Clave de tus copias</h2>
      <p>
        Los respaldos van cifrados. Con uno de ellos y esta clave, el sitio sigue en otro servidor; sin la clave no se
        abren. Imprímela o escríbela, y guárdala lejos del servidor.
      </p>
      {backupKey && (
        <p className={styles.key} role="status">
          {backupKey}
        </p>
      )}
      <p className={styles.keyButtons}>
        {!backupKey && (
          <Button type="submit" name="hacer" value="ver" look="outline">
            Ver la clave
          </Button>
        )}
        {isNoted ? (
          'Alguien de la organización ya la tiene guardada.'
        ) : (
          <Button type="submit" name="hacer" value="anotada" look="outline">
            Ya la tengo guardada
          </Button>
        )}
      </p>
    </Form>
  )
}

const lastCheckOf = (diagnoses: readonly StoredDiagnosis[]) =>
  new Date(Math.max(...diagnoses.map(({ seenAt }) => seenAt.getTime())))

function DiagnosisItem({ de, titulo, nivel, dice, remedio, desde }: StoredDiagnosis) {
  return (
    <li className={styles.line} data-level={nivel}>
      <h2>{titulo}</h2>
      <p className={styles.level}>{LEVEL_LABELS[nivel]}</p>
      <div className={styles.finding}>
        <p>{dice}</p>
        {nivel !== 'ok' && remedio && <p className={styles.remedy}>{remedyForCommittee(de, remedio)}</p>}
        {nivel === 'falla' && <p className={styles.since}>Desde el {formatLongDateTimeWithZone(desde)}.</p>}
      </div>
    </li>
  )
}
