import { Form } from 'react-router'
import { ROLE_NAMES } from '#app/accounts/role-names.ts'
import type { Role } from '#app/accounts/schema.ts'
import { formatShortDate } from '#app/core/time/mexico-dates.ts'
import type { AccountStatus, PanelAccount } from '#app/panel/schema.ts'
import { useSubmitOnce } from '#app/panel/use-submit-once.ts'
import { Button } from '#app/ui/components/button.tsx'
import { SelectField, TextField } from '#app/ui/forms/field.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './account-list.module.css'

const ACCOUNT_STATUS_LABELS: Record<AccountStatus, string> = {
  active: 'Activa',
  invited: 'Falta que elija su contraseña',
  expired: 'Venció',
  deactivated: 'De baja',
}

interface AccountListProps {
  title: string
  emptyText: string
  accounts: PanelAccount[]
}

export function AccountList({ title, emptyText, accounts }: AccountListProps) {
  return (
    <section className={styles.group} aria-label={title}>
      <h2>{title}</h2>
      {accounts.length === 0 && <p className={styles.empty}>{emptyText}</p>}
      <ul>
        {accounts.map((account) => (
          <AccountRow key={account.email} account={account} />
        ))}
      </ul>
    </section>
  )
}

function AccountRow({
  account: { email, role, outlet, lastDay, status, deactivation, isOwn },
}: {
  account: PanelAccount
}) {
  const { preventResubmit } = useSubmitOnce()
  return (
    <li className={styles.account}>
      <p className={styles.identity}>
        <b>{outlet ?? email}</b>
        {outlet && <span>{email}</span>}
        {role !== 'prensa' && <span>{ROLE_NAMES[role]}</span>}
        {isOwn && <span>Eres tú</span>}
      </p>
      <p className={styles.status} data-status={status}>
        {ACCOUNT_STATUS_LABELS[status]}
        {lastDay && status !== 'deactivated' && <span> · hasta el {formatShortDate(lastDay)}</span>}
      </p>
      {deactivation && (
        <Form method="post" className={styles.deactivation} onSubmit={preventResubmit}>
          <input type="hidden" name="correo" value={email} />
          <p>
            {deactivation.requestedBy ?? 'Alguien de la organización'} pidió su baja: surte efecto el{' '}
            {deactivation.effectiveAtText}, si nadie la detiene.
          </p>
          <Button type="submit" look="outline" name="hacer" value="detener">
            Detener la baja
          </Button>
        </Form>
      )}
      {status !== 'deactivated' && role !== 'prensa' && role !== 'admin' && (
        <Form method="post" className={styles.roleForm} onSubmit={preventResubmit}>
          <input type="hidden" name="correo" value={email} />
          <RoleSelect id={`encargo-${email}`} role={role} />
          <Button type="submit" look="quiet" name="hacer" value="encargo">
            Cambiar encargo
          </Button>
        </Form>
      )}
      {status !== 'deactivated' && (
        <Form method="post" className={styles.buttons} onSubmit={preventResubmit}>
          <input type="hidden" name="correo" value={email} />
          <Button type="submit" look="quiet" name="hacer" value="enlace">
            {status === 'invited' ? 'Mandar otro enlace' : 'Mandar enlace de contraseña'}
          </Button>
          {!isOwn && !deactivation && (
            <details className={styles.confirmation}>
              <summary>Dar de baja</summary>
              <p>
                {role === 'admin'
                  ? 'Dentro de 24 horas deja de entrar, en todas partes. Hasta entonces cualquiera de la organización puede detenerlo, y a todos les llega un correo.'
                  : 'Deja de entrar de inmediato, en todas partes.'}
              </p>
              <Button type="submit" look="outline" name="hacer" value="retirar">
                Sí, dar de baja a {outlet ?? email}
              </Button>
            </details>
          )}
        </Form>
      )}
    </li>
  )
}

const ROLE_OPTIONS = (['admin', 'revision', 'conteo', 'sitio', 'notaria'] as const).map(
  (role) => [role, ROLE_NAMES[role]] as const,
)

/** Lets an organiser choose a role; without a role nothing is chosen, so that no one gets all permissions by oversight. */
const RoleSelect = ({ id, role }: { id: string; role: Role | undefined }) => (
  <SelectField
    id={id}
    name="rol"
    label="Qué puede hacer"
    options={role ? ROLE_OPTIONS : [['', 'Elige qué puede hacer'], ...ROLE_OPTIONS]}
    defaultValue={role ?? ''}
    required
  />
)

interface TypedAccount {
  email: string
  role: Role | undefined
  outlet: string
  lastDay: string
}

/** Shows the form that accredits an outlet; for an accredited email address it changes outlet and last day. */
export function AccreditForm({ today, typedAccount }: { today: string; typedAccount: TypedAccount | undefined }) {
  const { isBusy, preventResubmit } = useSubmitOnce()
  return (
    <Form method="post" className={styles.newAccount} aria-label="Acreditar a un medio" onSubmit={preventResubmit}>
      <h3>Acreditar a un medio</h3>
      <TextField id="medio" name="medio" label="Medio" defaultValue={typedAccount?.outlet} maxLength={120} required />
      <TextField
        id="correo-prensa"
        name="correo"
        type="email"
        label="Correo del medio"
        defaultValue={typedAccount?.email}
        autoComplete="off"
        required
      />
      <TextField
        id="hasta"
        name="hasta"
        type="date"
        label="Último día (opcional)"
        min={today}
        defaultValue={typedAccount?.lastDay}
      />
      <Button type="submit" look="main" name="hacer" value="acreditar" isBusy={isBusy}>
        Acreditar
      </Button>
    </Form>
  )
}

export function InviteForm({
  typedAccount,
  hasMailServer,
}: {
  typedAccount: TypedAccount | undefined
  hasMailServer: boolean
}) {
  const { isBusy, preventResubmit } = useSubmitOnce()
  return (
    <Form
      method="post"
      className={joinClasses(styles.newAccount, styles.compact)}
      aria-label="Invitar a la organización"
      onSubmit={preventResubmit}
    >
      <h3>Invitar a la organización</h3>
      <TextField
        id="correo-organizacion"
        name="correo"
        type="email"
        label="Correo de la persona"
        hint={
          hasMailServer
            ? 'Le llega por correo un enlace para elegir su contraseña.'
            : 'Verás su enlace para elegir contraseña, y se lo mandas por WhatsApp.'
        }
        defaultValue={typedAccount?.email}
        autoComplete="off"
        required
      />
      <RoleSelect id="encargo" role={typedAccount?.role} />
      <Button type="submit" look="main" name="hacer" value="invitar" isBusy={isBusy}>
        Invitar
      </Button>
    </Form>
  )
}
