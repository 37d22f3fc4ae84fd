import * as v from 'valibot'

const moment = v.pipe(
  v.string(),
  v.check((text) => !Number.isNaN(Date.parse(text)), 'Escribe una fecha y una hora.'),
)

/** A period between two ISO moments, of which `cierra` is excluded. */
const PeriodSchema = v.pipe(
  v.strictObject({ abre: moment, cierra: moment }),
  v.check(({ abre, cierra }) => Date.parse(abre) < Date.parse(cierra), 'El cierre debe ser posterior a la apertura.'),
)

const page = (network: string) =>
  v.optional(
    v.pipe(
      v.string(),
      v.maxLength(300, `La dirección de ${network} es demasiado larga.`),
      v.regex(
        new RegExp(`^https://(www\\.)?${network.toLowerCase()}\\.com/[^\\s]+$`),
        `Escribe la página completa de ${network}, como https://www.${network.toLowerCase()}.com/su.nombre`,
      ),
    ),
  )

/** The proclaimed winner, and the texts of her card that replace the content's. */
const WinnerSchema = v.strictObject({
  candidata: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
  nombreCorto: v.optional(v.pipe(v.string(), v.maxLength(60, 'El nombre corto tiene más de 60 letras.'))),
  mensaje: v.optional(v.pipe(v.string(), v.maxLength(600, 'El mensaje tiene más de 600 letras.'))),
  facebook: page('Facebook'),
  instagram: page('Instagram'),
})

/** Settings of an edition: name of a row of `ajustes` → schema of its value. */
export const SETTINGS = {
  'registro.candidatas': PeriodSchema,
  'registro.trajes': PeriodSchema,
  /** Whether the pages for the accredited press are public. */
  'prensa.publica': v.boolean(),
  /** Retention of the entrants' documents, in days after the final. */
  'privacidad.dias': v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(3_650)),
  /** Daily quota of the mail provider, in messages; undefined if unknown. */
  'correo.cuota': v.optional(
    v.pipe(
      v.number('Escribe cuántos mensajes, con números.'),
      v.integer('Escribe un número entero de mensajes.'),
      v.minValue(10, 'Escribe 10 mensajes o más, o deja el campo vacío.'),
      v.maxValue(100_000_000, 'Ese número es demasiado grande.'),
    ),
  ),
  /** The winner of the sealed record, set by app/voting/sealing; undefined: the content's winner. */
  'votacion.ganadora': v.optional(WinnerSchema),
}

export type SettingName = keyof typeof SETTINGS
type SettingValue<Name extends SettingName> = v.InferOutput<(typeof SETTINGS)[Name]>
export type ProclaimedWinner = NonNullable<SettingValue<'votacion.ganadora'>>
export type Period = SettingValue<'registro.candidatas'>

/** An edition's settings in force: from the organisers, else from the content. */
export type EditionSettings = { [Name in SettingName]: SettingValue<Name> }

export const PRIVACY_DAYS = 90

/** One registration's period in the answer of /periodos. */
export interface PeriodStatus {
  estado: 'antes' | 'abierto' | 'despues'
  /** ISO moments. */
  abre: string
  cierra: string
  /** The opening or, once open, the closing, in Spanish: «el lunes 1 de septiembre a las 10 a.m.». */
  cuando: string
}

export type RegistrationWithPeriod = 'candidatas' | 'trajes'

/** The site's call to action, by the phase of the edition. */
export type CallToAction = 'votar' | 'conocer-ganadora' | 'inscribirse' | 'conocer-candidatas'

/** The fair's sky: dusk, lights, fireworks of the coronation, embers of the Monday after it. */
export type FairSky = 'crepusculo' | 'luces' | 'fuegos' | 'brasas'

export interface CurrentCallToAction {
  que: CallToAction
  /** The time left or the occasion: «Quedan 5 días para votar», «Señorita Popularidad 2025». */
  resta?: string | undefined
  /** ISO moment at which the call to action ends; absent if none is known. */
  hasta?: string | undefined
}

/** The answer of /periodos. */
export interface Periods extends Record<RegistrationWithPeriod, PeriodStatus> {
  /** The site's clock, an ISO moment. */
  ahora: string
  /** Absent in answers of the previous version. */
  llamado?: CurrentCallToAction | undefined
  /** Absent by day, and in answers of the previous version. */
  ambiente?: FairSky | undefined
}
