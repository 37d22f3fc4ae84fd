import { enMexico } from '#app/core/time/mexico-dates.ts'
import type { Letter, MailSender } from '#app/mail/schema.ts'

/** The sender of a message about an account, and the time by the site's clock. */
export interface Aviso {
  remite: MailSender
  now: Date
}

/** A one-time code of six digits, valid for `minutes`; the message expires with the code. */
export const codeLetter = (code: string, minutes: number): Letter => ({
  kind: 'codigo',
  urgente: true,
  pasajera: true,
  lifeMs: minutes * 60_000,
  palabras: ({ nombre }) => ({
    subject: `${code} es tu código de ${nombre}`,
    preheader: `${code}: escríbelo en la página que lo pidió. Vence en ${minutesInWords(minutes)}.`,
    titulo: 'Este es tu código',
    cuerpo: [
      { parrafo: 'Escríbelo en la página que te lo pidió:' },
      // The digits stand together, so that phones find the code in the notification and offer it to the page.
      { codigo: code },
      {
        parrafo: `Vence en ${minutesInWords(minutes)} y sirve una sola vez. No lo compartas con nadie: nosotros nunca te lo pediremos.`,
      },
    ],
    nota: 'Si no pediste un código, ignora este correo: sin él nadie puede entrar con tu dirección.',
  }),
})

const minutesInWords = (minutes: number) => (minutes === 1 ? '1 minuto' : `${minutes} minutos`)

/** Tells an organiser or a journalist, for whose address a one-time code was asked, to sign in by password. */
export const passwordSignInLetter = (): Letter => ({
  kind: 'puerta',
  pasajera: true,
  palabras: ({ nombre }, site) => ({
    subject: `Tu cuenta de ${nombre} entra con contraseña`,
    preheader: 'Alguien pidió un código para tu dirección; tu cuenta no los usa.',
    titulo: 'Tu cuenta entra con contraseña',
    cuerpo: [
      {
        parrafo:
          'Alguien pidió un código para entrar con tu dirección. Tu cuenta es de prensa o de la organización, y esas entran con su contraseña:',
      },
      { enlace: `${site}/medios`, rotulo: 'Entrar a la sala de prensa' },
    ],
    nota: 'Si no fuiste tú, ignora este correo: nadie entró.',
  }),
})

/** Tells an accredited outlet where, and until when, it sets its password. */
export const accreditationLetter = (outlet: string, enlace: string, expires: Date): Letter => ({
  kind: 'acreditacion',
  palabras: ({ nombre, anio }) => ({
    subject: `Tu acreditación de prensa para ${nombre} ${anio}`,
    preheader: `${outlet}: elige tu contraseña y entra a la sala de prensa.`,
    titulo: 'Tu medio está acreditado',
    cuerpo: [
      {
        parrafo: `${outlet} ya puede entrar a la sala de prensa de ${nombre} ${anio}: convocatoria oficial, galería de candidatas y sus archivos para descargar.`,
      },
      { parrafo: 'Sólo falta que elijas tu contraseña:' },
      { enlace, rotulo: 'Elegir mi contraseña' },
      { dato: 'El enlace sirve una vez, hasta el', valor: enMexico(expires) },
    ],
    nota: 'El enlace es personal: quien lo tenga puede elegir la contraseña de tu medio. Si no pediste una acreditación, ignora este correo.',
  }),
})

/** Tells an accredited outlet that has its password how its accreditation stands after a change. */
export const accreditationChangeLetter = (outlet: string, hasta: Date | undefined): Letter => ({
  kind: 'vigencia',
  palabras: ({ nombre, anio }, site) => ({
    subject: `Tu acreditación de prensa para ${nombre} ${anio} cambió`,
    preheader: `${outlet}: sigues entrando con tu contraseña de siempre.`,
    titulo: 'Tu acreditación cambió',
    cuerpo: [
      { parrafo: `Tu acreditación para la sala de prensa de ${nombre} ${anio} quedó así:` },
      { dato: 'Medio', valor: outlet },
      hasta ? { dato: 'Vale hasta el', valor: enMexico(hasta) } : { parrafo: 'No tiene último día.' },
      { parrafo: 'Sigues entrando con tu contraseña de siempre:' },
      { enlace: `${site}/medios`, rotulo: 'Entrar a la sala de prensa' },
    ],
    nota: 'Recibes este correo porque tu medio está acreditado. Si algo no es correcto, avisa al comité organizador.',
  }),
})

/** Tells a new organiser where, and until when, to set the password. */
export const invitationLetter = (enlace: string, expires: Date): Letter => ({
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
      { dato: 'El enlace sirve una vez, hasta el', valor: enMexico(expires) },
    ],
    nota: 'El enlace es personal: quien lo tenga entra con tu cuenta, y verá documentos privados. Si no lo esperabas, avisa al comité organizador.',
  }),
})

/**
 * Tells an account's owner that the password was changed.
 * @param when by the site's clock
 * @param loginWall path of the screen where the account signs in
 */
export const passwordChangedLetter = (when: Date, loginWall: string): Letter => ({
  kind: 'clave',
  palabras: ({ nombre }, site) => ({
    subject: `Tu contraseña de ${nombre} cambió`,
    preheader: 'Cerramos todas tus sesiones. Si no fuiste tú, avísanos cuanto antes.',
    titulo: 'Tu contraseña cambió',
    cuerpo: [
      { dato: 'Cambió el', valor: enMexico(when) },
      {
        parrafo: 'Por seguridad cerramos todas las sesiones de tu cuenta. Entra de nuevo con tu contraseña nueva:',
      },
      { enlace: `${site}${loginWall}`, rotulo: 'Iniciar sesión' },
    ],
    nota: 'Si no fuiste tú, avisa cuanto antes al comité organizador: alguien más conoce tu cuenta.',
  }),
})

/** Sends a link to set a new password, after the old one was forgotten. */
export const passwordResetLetter = (enlace: string, minutes: number): Letter => ({
  kind: 'recuperacion',
  urgente: true,
  lifeMs: minutes * 60_000,
  palabras: ({ nombre }) => ({
    subject: `Elige otra contraseña de ${nombre}`,
    preheader: `El enlace sirve una vez, durante ${minutesInWords(minutes)}.`,
    titulo: 'Elige otra contraseña',
    cuerpo: [
      { parrafo: `Pediste cambiar la contraseña de tu cuenta de ${nombre}:` },
      { enlace, rotulo: 'Elegir otra contraseña' },
      { parrafo: `El enlace sirve una sola vez, durante ${minutesInWords(minutes)}.` },
    ],
    nota: 'Si no fuiste tú, ignora este correo: tu contraseña sigue siendo la misma.',
  }),
})

/** Sends a link past the waits that other people's wrong passwords have brought on the account. */
export const waitBypassLetter = (enlace: string, minutes: number): Letter => ({
  kind: 'paso',
  urgente: true,
  lifeMs: minutes * 60_000,
  palabras: ({ nombre }) => ({
    subject: `Entra sin esperar a ${nombre}`,
    preheader: `El enlace sirve una vez, durante ${minutesInWords(minutes)}; tu contraseña sigue siendo la misma.`,
    titulo: 'Entra sin esperar',
    cuerpo: [
      {
        parrafo: `Tu cuenta de ${nombre} hace esperar porque alguien probó contraseñas que no eran. Abre este enlace en el equipo con el que quieres entrar, y escribe ahí la tuya:`,
      },
      { enlace, rotulo: 'Entrar sin esperar' },
      {
        parrafo: `El enlace sirve una sola vez, durante ${minutesInWords(minutes)}. Tu contraseña sigue siendo la misma.`,
      },
    ],
    nota: 'Si no lo pediste, ignora este correo: con el enlace, y sin tu contraseña, nadie entra.',
  }),
})

/** Tells every organiser of a change of an account. @param done `action`: what was done, in Spanish words */
export const accountChangeLetter = (done: { que: string; cuenta: string; quien: string; at: Date }): Letter => ({
  kind: 'cuenta',
  palabras: ({ nombre }, site) => ({
    subject: `Cambió una cuenta de ${nombre}: ${done.cuenta}`,
    preheader: `${done.que}: ${done.cuenta}.`,
    titulo: 'Cambió una cuenta',
    cuerpo: [
      { dato: 'Qué se hizo', valor: done.que },
      { dato: 'Cuenta', valor: done.cuenta },
      { dato: 'Quién', valor: done.quien },
      { dato: 'Cuándo', valor: enMexico(done.at) },
      { enlace: `${site}/organizadores/personas`, rotulo: 'Ver las cuentas' },
    ],
    nota: 'Lo recibe toda la organización cada vez que cambia una cuenta. Si nadie del comité lo hizo, entra ahora mismo y revisa las cuentas y la bitácora.',
  }),
})

/** The code that verifies an account's new address. */
export const emailChangeLetter = (code: string, minutes: number): Letter => ({
  kind: 'cambio',
  urgente: true,
  lifeMs: minutes * 60_000,
  palabras: ({ nombre }) => ({
    subject: `${code} confirma tu correo nuevo en ${nombre}`,
    preheader: `Escríbelo en la página donde pediste el cambio. Vence en ${minutesInWords(minutes)}.`,
    titulo: 'Confirma tu correo nuevo',
    cuerpo: [
      { parrafo: 'Escribe este código en la página donde pediste el cambio:' },
      { codigo: code },
      { parrafo: `Vence en ${minutesInWords(minutes)}.` },
    ],
    nota: 'Si no pediste cambiar el correo de una cuenta, ignora este mensaje: no cambia nada.',
  }),
})
