import { Form } from 'react-router'
import { ROLE_NAMES } from '#app/accounts/role-names.ts'
import type { Role } from '#app/accounts/schema.ts'
import { formatShortDate } from '#app/core/time/mexico-dates.ts'
import type { AccountStatus, Person } from '#app/panel/schema.ts'
import { useSubmitOnce } from '#app/panel/use-submit-once.ts'
import { SelectField, TextField } from '#app/ui/forms/field.tsx'
import { Button } from '#app/ui/primitives/button.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './account-list.module.css'

const ACCOUNT_STATUS_LABELS: Record<AccountStatus, string> = {
  activa: 'Activa',
  invitada: 'Falta que elija su contraseña',
  vencida: 'Venció',
  baja: 'De baja',
}

interface AccountListProps {
  titulo: string
  vacia: string
  personas: Person[]
}

/** Accounts of one kind, each with its actions. */
export function AccountList({ titulo, vacia, personas }: AccountListProps) {
  return (
    <section className={styles.grupo} aria-label={titulo}>
      <h2>{titulo}</h2>
      {personas.length === 0 && <p className={styles.vacia}>{vacia}</p>}
      <ul>
        {personas.map((person) => (
          <Account key={person.correo} persona={person} />
        ))}
      </ul>
    </section>
  )
}

function Account({ persona: { correo, rol, medio, hasta, situacion, baja, esPropia } }: { persona: Person }) {
  const { once } = useSubmitOnce()
  return (
    <li className={styles.cuenta}>
      <p className={styles.quien}>
        <b>{medio ?? correo}</b>
        {medio && <span>{correo}</span>}
        {rol !== 'prensa' && <span>{ROLE_NAMES[rol]}</span>}
        {esPropia && <span>Eres tú</span>}
      </p>
      <p className={styles.situacion} data-situacion={situacion}>
        {ACCOUNT_STATUS_LABELS[situacion]}
        {hasta && situacion !== 'baja' && <span> · hasta el {formatShortDate(hasta)}</span>}
      </p>
      {baja && (
        <Form method="post" className={styles.pedida} onSubmit={once}>
          <input type="hidden" name="correo" value={correo} />
          <p>
            {baja.pedidaPor ?? 'Alguien de la organización'} pidió su baja: surte efecto el {baja.surte}, si nadie la
            detiene.
          </p>
          <Button type="submit" look="outline" name="hacer" value="detener">
            Detener la baja
          </Button>
        </Form>
      )}
      {situacion !== 'baja' && rol !== 'prensa' && rol !== 'admin' && (
        <Form method="post" className={styles.encargo} onSubmit={once}>
          <input type="hidden" name="correo" value={correo} />
          <Task id={`encargo-${correo}`} rol={rol} />
          <Button type="submit" look="quiet" name="hacer" value="encargo">
            Cambiar encargo
          </Button>
        </Form>
      )}
      {situacion !== 'baja' && (
        <Form method="post" className={styles.botones} onSubmit={once}>
          <input type="hidden" name="correo" value={correo} />
          <Button type="submit" look="quiet" name="hacer" value="enlace">
            {situacion === 'invitada' ? 'Mandar otro enlace' : 'Mandar enlace de contraseña'}
          </Button>
          {!esPropia && !baja && (
            <details className={styles.seguro}>
              <summary>Dar de baja</summary>
              <p>
                {rol === 'admin'
                  ? 'Dentro de 24 horas deja de entrar, en todas partes. Hasta entonces cualquiera de la organización puede detenerlo, y a todos les llega un correo.'
                  : 'Deja de entrar de inmediato, en todas partes.'}
              </p>
              <Button type="submit" look="outline" name="hacer" value="retirar">
                Sí, dar de baja a {medio ?? correo}
              </Button>
            </details>
          )}
        </Form>
      )}
    </li>
  )
}

/** Roles that an organiser can have. */
const ROLE_OPTIONS = (['admin', 'revision', 'conteo', 'sitio', 'notaria'] as const).map(
  (role) => [role, ROLE_NAMES[role]] as const,
)

const Task = ({ id, rol }: { id: string; rol: Role | undefined }) => (
  <SelectField id={id} name="rol" label="Qué puede hacer" options={ROLE_OPTIONS} defaultValue={rol ?? 'admin'} />
)

interface Written {
  correo: string
  rol: Role
  medio: string
  hasta: string
}

/** Accredits a press outlet; for an address with an accreditation, changes the outlet and the last day. */
export function AccreditForm({ hoy, typed }: { hoy: string; typed: Written | undefined }) {
  const { busy, once } = useSubmitOnce()
  return (
    <Form method="post" className={styles.nueva} aria-label="Acreditar a un medio" onSubmit={once}>
      <h3>Acreditar a un medio</h3>
      <TextField id="medio" name="medio" label="Medio" defaultValue={typed?.medio} maxLength={120} required />
      <TextField
        id="correo-prensa"
        name="correo"
        type="email"
        label="Correo del medio"
        defaultValue={typed?.correo}
        autoComplete="off"
        required
      />
      <TextField
        id="hasta"
        name="hasta"
        type="date"
        label="Último día (opcional)"
        min={hoy}
        defaultValue={typed?.hasta}
      />
      <Button type="submit" look="main" name="hacer" value="acreditar" busy={busy}>
        Acreditar
      </Button>
    </Form>
  )
}

export function InviteForm({ typed }: { typed: Written | undefined }) {
  const { busy, once } = useSubmitOnce()
  return (
    <Form
      method="post"
      className={joinClasses(styles.nueva, styles.corta)}
      aria-label="Invitar a la organización"
      onSubmit={once}
    >
      <h3>Invitar a la organización</h3>
      <TextField
        id="correo-organizacion"
        name="correo"
        type="email"
        label="Correo de la persona"
        hint="Le llega un enlace para elegir su contraseña."
        defaultValue={typed?.correo}
        autoComplete="off"
        required
      />
      <Task id="encargo" rol={typed?.rol} />
      <Button type="submit" look="main" name="hacer" value="invitar" busy={busy}>
        Invitar
      </Button>
    </Form>
  )
}
