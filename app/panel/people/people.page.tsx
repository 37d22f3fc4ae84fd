import { data } from 'react-router'
import { type CuentaDeOrganizacion, listCuentas } from '#app/accounts/data.server.ts'
import { autorDe } from '#app/accounts/guards.server.ts'
import { askBaja, listBajas, stopBaja } from '#app/accounts/people/deactivations.server.ts'
import { acreditar, type MotivoDeCuenta, resendEnlace } from '#app/accounts/people/mutations.server.ts'
import { changeEncargo, invitar } from '#app/accounts/people/organisers.server.ts'
import { NOMBRE_DE_ROL, ROLES } from '#app/accounts/role-names.ts'
import { may } from '#app/accounts/rules.ts'
import { abrirPuerta, requireConfirmacion, requireOrganizacion } from '#app/accounts/sign-in/login-wall.server.ts'
import { cabeza } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { typedText } from '#app/core/text/typed-text.ts'
import { diaDe, enFecha, fechaDe, finDelDia } from '#app/core/time/mexico-dates.ts'
import { SIN_ESPACIO, STATUS_SIN_ESPACIO, unlessFull } from '#app/core/uploads/disk-space.server.ts'
import { remiteDe } from '#app/mail/mutations.server.ts'
import { Encabezado } from '#app/panel/heading.tsx'
import { Aviso } from '#app/panel/notice.tsx'
import { campoDe } from '#app/panel/rules.ts'
import type { Persona, SituacionDePersona } from '#app/panel/schema.ts'
import type { Route } from './+types/people.page'
import { Acreditar, Invitar, ListaDeCuentas } from './account-list.tsx'
import { Permisos } from './permissions.tsx'

export async function loader({ request, context }: Route.LoaderArgs) {
  const entrada = await abrirPuerta(request, context, 'personas')
  // The frame shows the door instead of this screen.
  if (!entrada.abierta) return null
  const { db, clock } = servicesOf(context).services
  const now = clock.now()
  const bajas = (await listBajas(db)).map(({ surteAt, ...baja }) => ({ ...baja, surte: enFecha(surteAt) }))
  const personas = (await listCuentas(db)).map(
    (cuenta): Persona => ({
      correo: cuenta.correo,
      rol: cuenta.rol,
      medio: cuenta.medio,
      hasta: cuenta.vigenteHasta && diaDe(cuenta.vigenteHasta),
      situacion: situacionDe(cuenta, now),
      baja: bajas.find(({ correo }) => correo === cuenta.correo),
      esPropia: cuenta.correo === entrada.sesion.correo,
    }),
  )
  return { personas, hoy: diaDe(now) }
}

function situacionDe({ bajaAt, vigenteHasta, tieneClave }: CuentaDeOrganizacion, now: Date): SituacionDePersona {
  if (bajaAt) return 'baja'
  if (vigenteHasta && vigenteHasta <= now) return 'vencida'
  return tieneClave ? 'activa' : 'invitada'
}

const MOTIVOS: Partial<Record<MotivoDeCuenta, string>> = {
  correo: 'Ese correo no es una dirección válida. Revísalo: sólo letras sin acento, números y signos usuales.',
  medio: 'Escribe el nombre del medio, con 120 caracteres como máximo.',
  pasada: 'Ese día ya pasó: elige uno que todavía no llegue, o deja la fecha vacía.',
  repetida: 'Esa dirección ya tiene cuenta de otra clase. Dala de baja primero, o usa otra dirección.',
  desconocida: 'Esa cuenta ya no está: puede ser que alguien la haya dado de baja mientras tanto.',
  pedida: 'Esa baja ya se pidió: surte efecto a las 24 horas, si nadie la detiene.',
  rol: 'Ese cambio no se hace así: a quien lleva todo se le da de baja, con 24 horas de aviso, y luego se le invita de nuevo.',
  'ultimo-admin': 'Es la única cuenta de organización que queda: invita a otra persona antes.',
}

export async function action({ request, context }: Route.ActionArgs) {
  const sesion = await requireOrganizacion(request, context, 'personas')
  const { services } = servicesOf(context)
  const form = await request.formData()
  const text = (name: string) => campoDe(form, name)
  const [hacer, correo, medio, dia] = [text('hacer'), text('correo'), text('medio'), text('hasta')]
  const rol = ROLES.find((one) => one === text('rol')) ?? 'admin'
  const typed = { hacer, correo, medio, rol, hasta: dia }
  const refuse = (mensaje: string, status = 422) => data({ ok: false as const, mensaje, typed }, { status })
  await requireConfirmacion(request, context, sesion, form)
  const autor = { ...autorDe(context, sesion), quien: sesion.userId }
  const aviso = { remite: remiteDe(services), now: services.clock.now() }
  const vigenteHasta = finDelDia(dia)
  if (hacer === 'acreditar' && dia !== '' && !vigenteHasta) return refuse('Escribe la fecha como día, mes y año.')
  if (hacer === 'retirar' && correo === sesion.correo)
    return refuse('No puedes darte de baja: pídeselo a otra persona de la organización.')
  const orders = {
    acreditar: () => acreditar(services.db, { correo, medio, vigenteHasta }, autor, aviso),
    invitar: () => invitar(services.db, { correo, rol }, autor, aviso),
    encargo: () => changeEncargo(services.db, correo, rol, autor),
    enlace: () => resendEnlace(services.db, correo, autor, aviso),
    retirar: () => askBaja(services.db, correo, aviso.now, autor),
    detener: () => stopBaja(services.db, correo, autor),
  }
  if (!Object.hasOwn(orders, hacer)) return refuse('Ese botón no se entendió. Recarga la página.')
  const hecho = await unlessFull<
    { ok: true; enlace?: boolean; surteAt?: Date } | { ok: false; reason: MotivoDeCuenta }
  >(services, () => orders[hacer as keyof typeof orders]())
  if (!hecho.ok && hecho.reason === 'sin-espacio') return refuse(SIN_ESPACIO, STATUS_SIN_ESPACIO)
  if (!hecho.ok) return refuse(MOTIVOS[hecho.reason] ?? 'No se pudo hacer.')
  const mensaje = {
    acreditar: `Listo: ${correo} recibirá un correo ${hecho.enlace ? 'con el enlace para elegir su contraseña' : 'que le dice cómo quedó; sigue entrando con su contraseña'}. ${typedText(medio)} queda acreditado ${vigenteHasta ? `hasta el ${fechaDe(dia)}` : 'sin último día'}.`,
    invitar: `Listo: ${correo} recibirá un correo con el enlace para elegir su contraseña.`,
    encargo: `Listo: ${correo} tiene ahora este encargo: ${NOMBRE_DE_ROL[rol]}. Sus sesiones terminaron.`,
    enlace: `Listo: mandamos otro enlace a ${correo}. El anterior ya no sirve.`,
    retirar:
      hecho.surteAt && hecho.surteAt > aviso.now
        ? `${correo} quedará de baja el ${enFecha(hecho.surteAt)}. Hasta entonces cualquiera de la organización puede detenerlo; ya se lo dijimos a todos.`
        : `Listo: ${correo} ya no puede entrar, y sus sesiones terminaron.`,
    detener: `Listo: la baja de ${correo} quedó detenida.`,
  }[hacer as keyof typeof orders]
  return { ok: true as const, mensaje, vez: crypto.randomUUID() }
}

export { Falla as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) => cabeza({ pantalla: 'Personas' }, args)

/** Who enters beyond the voters: accredited press, and the organisers themselves. */
export default function Personas({ loaderData, actionData }: Route.ComponentProps) {
  if (!loaderData) return null
  const { personas, hoy } = loaderData
  const typed = actionData?.ok === false ? actionData.typed : undefined
  const dePrensa = personas.filter(({ rol }) => rol === 'prensa')
  const organizadores = personas.filter(({ rol }) => may(rol, 'organizadores'))
  // A form that was done begins anew; one that was refused keeps what was typed.
  const turn = actionData?.ok ? actionData.vez : 'igual'
  return (
    <>
      <Encabezado titulo="Personas" />
      {actionData && <Aviso hecho={actionData} />}
      <ListaDeCuentas
        titulo="Prensa acreditada"
        vacia="Todavía no hay medios acreditados. Acredita al primero aquí abajo: le llegará un correo para elegir su contraseña."
        personas={dePrensa}
      />
      <Acreditar key={`prensa ${turn}`} hoy={hoy} typed={typed?.hacer === 'acreditar' ? typed : undefined} />
      <ListaDeCuentas titulo="Organización" vacia="" personas={organizadores} />
      <Permisos />
      <Invitar key={`organizacion ${turn}`} typed={typed?.hacer === 'invitar' ? typed : undefined} />
    </>
  )
}
