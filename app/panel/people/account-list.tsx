import { Form } from 'react-router'
import { NOMBRE_DE_ROL } from '#app/accounts/role-names.ts'
import type { Rol } from '#app/accounts/schema.ts'
import { fechaDe } from '#app/core/time/mexico-dates.ts'
import type { Persona, SituacionDePersona } from '#app/panel/schema.ts'
import { useUnaVez } from '#app/panel/use-submit-once.ts'
import { SelectField, TextField } from '#app/ui/forms/field.tsx'
import { Button } from '#app/ui/primitives/button.tsx'
import { unir } from '#app/ui/styles/class-names.ts'
import styles from './account-list.module.css'

const SITUACIONES: Record<SituacionDePersona, string> = {
  activa: 'Activa',
  invitada: 'Falta que elija su contraseña',
  vencida: 'Venció',
  baja: 'De baja',
}

interface ListaDeCuentasProps {
  titulo: string
  vacia: string
  personas: Persona[]
}

/** Accounts of one kind, each with what can be done about it. */
export function ListaDeCuentas({ titulo, vacia, personas }: ListaDeCuentasProps) {
  return (
    <section className={styles.grupo} aria-label={titulo}>
      <h2>{titulo}</h2>
      {personas.length === 0 && <p className={styles.vacia}>{vacia}</p>}
      <ul>
        {personas.map((persona) => (
          <Cuenta key={persona.correo} persona={persona} />
        ))}
      </ul>
    </section>
  )
}

function Cuenta({ persona: { correo, rol, medio, hasta, situacion, baja, esPropia } }: { persona: Persona }) {
  const { once } = useUnaVez()
  return (
    <li className={styles.cuenta}>
      <p className={styles.quien}>
        <b>{medio ?? correo}</b>
        {medio && <span>{correo}</span>}
        {rol !== 'prensa' && <span>{NOMBRE_DE_ROL[rol]}</span>}
        {esPropia && <span>Eres tú</span>}
      </p>
      <p className={styles.situacion} data-situacion={situacion}>
        {SITUACIONES[situacion]}
        {hasta && situacion !== 'baja' && <span> · hasta el {fechaDe(hasta)}</span>}
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
          <Encargo id={`encargo-${correo}`} rol={rol} />
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

/** What an organiser does. */
const ENCARGOS = (['admin', 'revision', 'conteo', 'sitio', 'notaria'] as const).map(
  (rol) => [rol, NOMBRE_DE_ROL[rol]] as const,
)

const Encargo = ({ id, rol }: { id: string; rol: Rol | undefined }) => (
  <SelectField id={id} name="rol" label="Qué puede hacer" options={ENCARGOS} defaultValue={rol ?? 'admin'} />
)

interface Escrito {
  correo: string
  rol: Rol
  medio: string
  hasta: string
}

/** A new accreditation; for an address that has one, its outlet and its last day are changed. */
export function Acreditar({ hoy, typed }: { hoy: string; typed: Escrito | undefined }) {
  const { busy, once } = useUnaVez()
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

export function Invitar({ typed }: { typed: Escrito | undefined }) {
  const { busy, once } = useUnaVez()
  return (
    <Form
      method="post"
      className={unir(styles.nueva, styles.corta)}
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
      <Encargo id="encargo" rol={typed?.rol} />
      <Button type="submit" look="main" name="hacer" value="invitar" busy={busy}>
        Invitar
      </Button>
    </Form>
  )
}
