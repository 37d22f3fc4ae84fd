import { enMexico } from '#app/core/time/mexico-dates.ts'
import type { Carta, Remite } from '#app/mail/schema.ts'

/** What every message about an account needs: its sender, and the site's clock. */
export interface Aviso {
  remite: Remite
  now: Date
}

/** A one-time code of six digits, in force for so many minutes; after them the message is not sent any more. */
export const cartaDeCodigo = (codigo: string, minutos: number): Carta => ({
  kind: 'codigo',
  urgente: true,
  pasajera: true,
  lifeMs: minutos * 60_000,
  palabras: ({ nombre }) => ({
    subject: `${codigo} es tu código de ${nombre}`,
    preheader: `${codigo}: escríbelo en la página que lo pidió. Vence en ${enMinutos(minutos)}.`,
    titulo: 'Este es tu código',
    cuerpo: [
      { parrafo: 'Escríbelo en la página que te lo pidió:' },
      // The digits stand together, so that phones find the code in the notification and offer it to the page.
      { codigo },
      {
        parrafo: `Vence en ${enMinutos(minutos)} y sirve una sola vez. No lo compartas con nadie: nosotros nunca te lo pediremos.`,
      },
    ],
    nota: 'Si no pediste un código, ignora este correo: sin él nadie puede entrar con tu dirección.',
  }),
})

const enMinutos = (minutos: number) => (minutos === 1 ? '1 minuto' : `${minutos} minutos`)

/** Tells an account with a role, for which somebody asked a one-time code, that it enters by its password. */
export const cartaDePuerta = (): Carta => ({
  kind: 'puerta',
  pasajera: true,
  palabras: ({ nombre }, sitio) => ({
    subject: `Tu cuenta de ${nombre} entra con contraseña`,
    preheader: 'Alguien pidió un código para tu dirección; tu cuenta no los usa.',
    titulo: 'Tu cuenta entra con contraseña',
    cuerpo: [
      {
        parrafo:
          'Alguien pidió un código para entrar con tu dirección. Tu cuenta es de prensa o de la organización, y esas entran con su contraseña:',
      },
      { enlace: `${sitio}/medios`, rotulo: 'Entrar a la sala de prensa' },
    ],
    nota: 'Si no fuiste tú, ignora este correo: nadie entró.',
  }),
})

/** Tells an accredited outlet where, and until when, it sets its password. */
export const cartaDeAcreditacion = (medio: string, enlace: string, vence: Date): Carta => ({
  kind: 'acreditacion',
  palabras: ({ nombre, anio }) => ({
    subject: `Tu acreditación de prensa para ${nombre} ${anio}`,
    preheader: `${medio}: elige tu contraseña y entra a la sala de prensa.`,
    titulo: 'Tu medio está acreditado',
    cuerpo: [
      {
        parrafo: `${medio} ya puede entrar a la sala de prensa de ${nombre} ${anio}: convocatoria oficial, galería de candidatas y sus archivos para descargar.`,
      },
      { parrafo: 'Sólo falta que elijas tu contraseña:' },
      { enlace, rotulo: 'Elegir mi contraseña' },
      { dato: 'El enlace sirve una vez, hasta el', valor: enMexico(vence) },
    ],
    nota: 'El enlace es personal: quien lo tenga puede elegir la contraseña de tu medio. Si no pediste una acreditación, ignora este correo.',
  }),
})

/** Tells an accredited outlet that has its password how its accreditation stands now. */
export const cartaDeVigencia = (medio: string, hasta: Date | undefined): Carta => ({
  kind: 'vigencia',
  palabras: ({ nombre, anio }, sitio) => ({
    subject: `Tu acreditación de prensa para ${nombre} ${anio} cambió`,
    preheader: `${medio}: sigues entrando con tu contraseña de siempre.`,
    titulo: 'Tu acreditación cambió',
    cuerpo: [
      { parrafo: `Tu acreditación para la sala de prensa de ${nombre} ${anio} quedó así:` },
      { dato: 'Medio', valor: medio },
      hasta ? { dato: 'Vale hasta el', valor: enMexico(hasta) } : { parrafo: 'No tiene último día.' },
      { parrafo: 'Sigues entrando con tu contraseña de siempre:' },
      { enlace: `${sitio}/medios`, rotulo: 'Entrar a la sala de prensa' },
    ],
    nota: 'Recibes este correo porque tu medio está acreditado. Si algo no es correcto, avisa al comité organizador.',
  }),
})

/** Tells a new organiser where, and until when, to set the password. */
export const cartaDeInvitacion = (enlace: string, vence: Date): Carta => ({
  kind: 'invitacion',
  palabras: ({ nombre, anio }) => ({
    subject: `Elige tu contraseña de la organización de ${nombre} ${anio}`,
    preheader: 'Con ella entras al panel de la organización.',
    titulo: 'Ya eres de la organización',
    cuerpo: [
      {
        parrafo: `Tu cuenta abre el panel de ${nombre} ${anio}; ahí está lo que el comité te encargó.`,
      },
      { parrafo: 'Elige tu contraseña:' },
      { enlace, rotulo: 'Elegir mi contraseña' },
      { dato: 'El enlace sirve una vez, hasta el', valor: enMexico(vence) },
    ],
    nota: 'El enlace es personal: quien lo tenga entra con tu cuenta, y verá documentos privados. Si no lo esperabas, avisa al comité organizador.',
  }),
})

/**
 * Tells an account's owner that the password was changed.
 * @param cuando by the site's clock
 * @param puerta path of the screen where the account enters
 */
export const cartaDeClave = (cuando: Date, puerta: string): Carta => ({
  kind: 'clave',
  palabras: ({ nombre }, sitio) => ({
    subject: `Tu contraseña de ${nombre} cambió`,
    preheader: 'Cerramos todas tus sesiones. Si no fuiste tú, avísanos cuanto antes.',
    titulo: 'Tu contraseña cambió',
    cuerpo: [
      { dato: 'Cambió el', valor: enMexico(cuando) },
      {
        parrafo: 'Por seguridad cerramos todas las sesiones de tu cuenta. Entra de nuevo con tu contraseña nueva:',
      },
      { enlace: `${sitio}${puerta}`, rotulo: 'Iniciar sesión' },
    ],
    nota: 'Si no fuiste tú, avisa cuanto antes al comité organizador: alguien más conoce tu cuenta.',
  }),
})

/** Takes the owner of an account to where a new password is set, after the old one was forgotten. */
export const cartaDeRecuperacion = (enlace: string, minutos: number): Carta => ({
  kind: 'recuperacion',
  urgente: true,
  lifeMs: minutos * 60_000,
  palabras: ({ nombre }) => ({
    subject: `Elige otra contraseña de ${nombre}`,
    preheader: `El enlace sirve una vez, durante ${enMinutos(minutos)}.`,
    titulo: 'Elige otra contraseña',
    cuerpo: [
      { parrafo: `Pediste cambiar la contraseña de tu cuenta de ${nombre}:` },
      { enlace, rotulo: 'Elegir otra contraseña' },
      { parrafo: `El enlace sirve una sola vez, durante ${enMinutos(minutos)}.` },
    ],
    nota: 'Si no fuiste tú, ignora este correo: tu contraseña sigue siendo la misma.',
  }),
})

/** Takes the owner of an account past the waits that others' wrong passwords have brought on it. */
export const cartaDePaso = (enlace: string, minutos: number): Carta => ({
  kind: 'paso',
  urgente: true,
  lifeMs: minutos * 60_000,
  palabras: ({ nombre }) => ({
    subject: `Entra sin esperar a ${nombre}`,
    preheader: `El enlace sirve una vez, durante ${enMinutos(minutos)}; tu contraseña sigue siendo la misma.`,
    titulo: 'Entra sin esperar',
    cuerpo: [
      {
        parrafo: `Tu cuenta de ${nombre} hace esperar porque alguien probó contraseñas que no eran. Abre este enlace en el equipo con el que quieres entrar, y escribe ahí la tuya:`,
      },
      { enlace, rotulo: 'Entrar sin esperar' },
      { parrafo: `El enlace sirve una sola vez, durante ${enMinutos(minutos)}. Tu contraseña sigue siendo la misma.` },
    ],
    nota: 'Si no lo pediste, ignora este correo: con el enlace, y sin tu contraseña, nadie entra.',
  }),
})

/** Tells every organiser of a change of an account. @param que what was done, in words */
export const cartaDeCuenta = (hecho: { que: string; cuenta: string; quien: string; at: Date }): Carta => ({
  kind: 'cuenta',
  palabras: ({ nombre }, sitio) => ({
    subject: `Cambió una cuenta de ${nombre}: ${hecho.cuenta}`,
    preheader: `${hecho.que}: ${hecho.cuenta}.`,
    titulo: 'Cambió una cuenta',
    cuerpo: [
      { dato: 'Qué se hizo', valor: hecho.que },
      { dato: 'Cuenta', valor: hecho.cuenta },
      { dato: 'Quién', valor: hecho.quien },
      { dato: 'Cuándo', valor: enMexico(hecho.at) },
      { enlace: `${sitio}/organizadores/personas`, rotulo: 'Ver las cuentas' },
    ],
    nota: 'Lo recibe toda la organización cada vez que cambia una cuenta. Si nadie del comité lo hizo, entra ahora mismo y revisa las cuentas y la bitácora.',
  }),
})

/** The code by which an account's new address proves itself. */
export const cartaDeCambioDeCorreo = (codigo: string, minutos: number): Carta => ({
  kind: 'cambio',
  urgente: true,
  lifeMs: minutos * 60_000,
  palabras: ({ nombre }) => ({
    subject: `${codigo} confirma tu correo nuevo en ${nombre}`,
    preheader: `Escríbelo en la página donde pediste el cambio. Vence en ${enMinutos(minutos)}.`,
    titulo: 'Confirma tu correo nuevo',
    cuerpo: [
      { parrafo: 'Escribe este código en la página donde pediste el cambio:' },
      { codigo },
      { parrafo: `Vence en ${enMinutos(minutos)}.` },
    ],
    nota: 'Si no pediste cambiar el correo de una cuenta, ignora este mensaje: no cambia nada.',
  }),
})
