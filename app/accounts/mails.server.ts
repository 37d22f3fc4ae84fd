import { formatLongDateTimeWithZone } from '#app/core/time/mexico-dates.ts'
import type { Letter, MailSender } from '#app/mail/schema.ts'

/** Sender and moment of mails about accounts. */
export interface MailContext {
  sender: MailSender
  /** Moment by the site's clock. */
  now: Date
}

/** Tells a voter a one-time code, valid for `minutes`. @param code six digits, or the placeholder for each voter's own code */
export const codeLetter = (code: string, minutes: number): Letter => ({
  kind: 'codigo',
  isUrgent: true,
  isDeletedAfterSending: true,
  lifeMs: minutes * 60_000,
  compose: ({ nombre }) => ({
    subject: `${code} es tu código de ${nombre}`,
    preheader: `${code}: escríbelo en la página que lo pidió. Vence en ${minutesInWords(minutes)}.`,
    title: 'Este es tu código',
    body: [
      { paragraph: 'Escríbelo en la página que te lo pidió:' },
      // The digits are not separated, so that phones find the code in the notification and offer it to the page.
      { code },
      {
        paragraph: `Vence en ${minutesInWords(minutes)} y sirve una sola vez. No lo compartas con nadie: nosotros nunca te lo pediremos.`,
      },
    ],
    note: 'Si no pediste un código, ignora este correo: sin él nadie puede entrar con tu dirección.',
  }),
})

const minutesInWords = (minutes: number) => (minutes === 1 ? '1 minuto' : `${minutes} minutos`)

/** Tells an organiser or a journalist, for whose address a one-time code was asked, to sign in by password. */
export const passwordSignInLetter = (): Letter => ({
  kind: 'puerta',
  isDeletedAfterSending: true,
  compose: ({ nombre }, siteUrl) => ({
    subject: `Tu cuenta de ${nombre} entra con contraseña`,
    preheader: 'Alguien pidió un código para tu dirección; tu cuenta no los usa.',
    title: 'Tu cuenta entra con contraseña',
    body: [
      {
        paragraph:
          'Alguien pidió un código para entrar con tu dirección. Tu cuenta es de prensa o de la organización, y esas entran con su contraseña:',
      },
      { link: `${siteUrl}/medios`, label: 'Entrar a la sala de prensa' },
    ],
    note: 'Si no fuiste tú, ignora este correo: nadie entró.',
  }),
})

/** Tells an accredited outlet where, and until when, it sets its password. */
export const accreditationLetter = (outlet: string, link: string, expiresAt: Date): Letter => ({
  kind: 'acreditacion',
  compose: ({ nombre, anio }) => ({
    subject: `Tu acreditación de prensa para ${nombre} ${anio}`,
    preheader: `${outlet}: elige tu contraseña y entra a la sala de prensa.`,
    title: 'Tu medio está acreditado',
    body: [
      {
        paragraph: `${outlet} ya puede entrar a la sala de prensa de ${nombre} ${anio}: convocatoria oficial, galería de candidatas y sus archivos para descargar.`,
      },
      { paragraph: 'Sólo falta que elijas tu contraseña:' },
      { link, label: 'Elegir mi contraseña' },
      { name: 'El enlace sirve una vez, hasta el', value: formatLongDateTimeWithZone(expiresAt) },
    ],
    note: 'El enlace es personal: quien lo tenga puede elegir la contraseña de tu medio. Si no pediste una acreditación, ignora este correo.',
  }),
})

/** Tells an accredited outlet that has its password how its accreditation stands after a change. */
export const accreditationChangeLetter = (outlet: string, validUntil: Date | undefined): Letter => ({
  kind: 'vigencia',
  compose: ({ nombre, anio }, siteUrl) => ({
    subject: `Tu acreditación de prensa para ${nombre} ${anio} cambió`,
    preheader: `${outlet}: sigues entrando con tu contraseña de siempre.`,
    title: 'Tu acreditación cambió',
    body: [
      { paragraph: `Tu acreditación para la sala de prensa de ${nombre} ${anio} quedó así:` },
      { name: 'Medio', value: outlet },
      validUntil
        ? { name: 'Vale hasta el', value: formatLongDateTimeWithZone(validUntil) }
        : { paragraph: 'No tiene último día.' },
      { paragraph: 'Sigues entrando con tu contraseña de siempre:' },
      { link: `${siteUrl}/medios`, label: 'Entrar a la sala de prensa' },
    ],
    note: 'Recibes este correo porque tu medio está acreditado. Si algo no es correcto, avisa al comité organizador.',
  }),
})

/** Tells a new organiser where, and until when, to set the password. */
export const invitationLetter = (link: string, expiresAt: Date): Letter => ({
  kind: 'invitacion',
  compose: ({ nombre, anio }) => ({
    subject: `Elige tu contraseña de la organización de ${nombre} ${anio}`,
    preheader: 'Con ella entras al panel de la organización.',
    title: 'Ya eres de la organización',
    body: [
      {
        paragraph: `Tu cuenta abre el panel de ${nombre} ${anio}; ahí está lo que el comité te encargó.`,
      },
      { paragraph: 'Elige tu contraseña:' },
      { link, label: 'Elegir mi contraseña' },
      { name: 'El enlace sirve una vez, hasta el', value: formatLongDateTimeWithZone(expiresAt) },
    ],
    note: 'El enlace es personal: quien lo tenga entra con tu cuenta, y verá documentos privados. Si no lo esperabas, avisa al comité organizador.',
  }),
})

/**
 * Tells an account's owner that the password was changed.
 * @param when by the site's clock
 * @param loginWall path of the screen where the account signs in
 */
export const passwordChangedLetter = (when: Date, loginWall: string): Letter => ({
  kind: 'clave',
  compose: ({ nombre }, siteUrl) => ({
    subject: `Tu contraseña de ${nombre} cambió`,
    preheader: 'Cerramos todas tus sesiones. Si no fuiste tú, avísanos cuanto antes.',
    title: 'Tu contraseña cambió',
    body: [
      { name: 'Cambió el', value: formatLongDateTimeWithZone(when) },
      {
        paragraph: 'Por seguridad cerramos todas las sesiones de tu cuenta. Entra de nuevo con tu contraseña nueva:',
      },
      { link: `${siteUrl}${loginWall}`, label: 'Iniciar sesión' },
    ],
    note: 'Si no fuiste tú, avisa cuanto antes al comité organizador: alguien más conoce tu cuenta.',
  }),
})

/** Sends a link to set another password in place of the present one. */
export const passwordResetLetter = (link: string, minutes: number): Letter => ({
  kind: 'recuperacion',
  isUrgent: true,
  lifeMs: minutes * 60_000,
  compose: ({ nombre }) => ({
    subject: `Elige otra contraseña de ${nombre}`,
    preheader: `El enlace sirve una vez, durante ${minutesInWords(minutes)}.`,
    title: 'Elige otra contraseña',
    body: [
      { paragraph: `Pediste cambiar la contraseña de tu cuenta de ${nombre}:` },
      { link, label: 'Elegir otra contraseña' },
      { paragraph: `El enlace sirve una sola vez, durante ${minutesInWords(minutes)}.` },
    ],
    note: 'Si no fuiste tú, ignora este correo: tu contraseña sigue siendo la misma.',
  }),
})

/** Sends a link that lets a browser past the waits after wrong passwords. */
export const waitBypassLetter = (link: string, minutes: number): Letter => ({
  kind: 'paso',
  isUrgent: true,
  lifeMs: minutes * 60_000,
  compose: ({ nombre }) => ({
    subject: `Entra sin esperar a ${nombre}`,
    preheader: `El enlace sirve una vez, durante ${minutesInWords(minutes)}; tu contraseña sigue siendo la misma.`,
    title: 'Entra sin esperar',
    body: [
      {
        paragraph: `Tu cuenta de ${nombre} hace esperar porque alguien probó contraseñas que no eran. Abre este enlace en el equipo con el que quieres entrar, y escribe ahí la tuya:`,
      },
      { link, label: 'Entrar sin esperar' },
      {
        paragraph: `El enlace sirve una sola vez, durante ${minutesInWords(minutes)}. Tu contraseña sigue siendo la misma.`,
      },
    ],
    note: 'Si no lo pediste, ignora este correo: con el enlace, y sin tu contraseña, nadie entra.',
  }),
})

/** Tells an `admin` of a changed account or backup. @param change `account`: an email, or in Spanish why there is none */
export const accountChangeLetter = (change: { action: string; account: string; actor: string; at: Date }): Letter => ({
  kind: 'cuenta',
  compose: ({ nombre }, siteUrl) => ({
    subject: `Cambió una cuenta de ${nombre}: ${change.account}`,
    preheader: `${change.action}: ${change.account}.`,
    title: 'Cambió una cuenta',
    body: [
      { name: 'Qué se hizo', value: change.action },
      { name: 'Cuenta', value: change.account },
      { name: 'Quién', value: change.actor },
      { name: 'Cuándo', value: formatLongDateTimeWithZone(change.at) },
      { link: `${siteUrl}/organizadores/personas`, label: 'Ver las cuentas' },
    ],
    note: 'Lo reciben quienes administran el sitio cada vez que cambia una cuenta. Si nadie del comité lo hizo, entra ahora mismo y revisa las cuentas y la bitácora.',
  }),
})

/** Sends the code that verifies an account's new address. */
export const emailChangeLetter = (code: string, minutes: number): Letter => ({
  kind: 'cambio',
  isUrgent: true,
  lifeMs: minutes * 60_000,
  compose: ({ nombre }) => ({
    subject: `${code} confirma tu correo nuevo en ${nombre}`,
    preheader: `Escríbelo en la página donde pediste el cambio. Vence en ${minutesInWords(minutes)}.`,
    title: 'Confirma tu correo nuevo',
    body: [
      { paragraph: 'Escribe este código en la página donde pediste el cambio:' },
      { code },
      { paragraph: `Vence en ${minutesInWords(minutes)}.` },
    ],
    note: 'Si no pediste cambiar el correo de una cuenta, ignora este mensaje: no cambia nada.',
  }),
})
