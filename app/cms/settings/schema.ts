import * as v from 'valibot'

const moment = v.pipe(
  v.string(),
  v.check((text) => !Number.isNaN(Date.parse(text)), 'Escribe una fecha y una hora.'),
)

/** From when to when something is open: ISO moments; at `cierra` it is already closed. */
const PeriodSchema = v.pipe(
  v.strictObject({ abre: moment, cierra: moment }),
  v.check(({ abre, cierra }) => Date.parse(abre) < Date.parse(cierra), 'El cierre debe ser posterior a la apertura.'),
)

const page = (red: string) =>
  v.optional(
    v.pipe(
      v.string(),
      v.maxLength(300, `La dirección de ${red} es demasiado larga.`),
      v.regex(
        new RegExp(`^https://(www\\.)?${red.toLowerCase()}\\.com/[^\\s]+$`),
        `Escribe la página completa de ${red}, como https://www.${red.toLowerCase()}.com/su.nombre`,
      ),
    ),
  )

/** Who is proclaimed winner, and the words of her card that differ from the content's. */
const WinnerSchema = v.strictObject({
  candidata: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
  nombreCorto: v.optional(v.pipe(v.string(), v.maxLength(60, 'El nombre corto tiene más de 60 letras.'))),
  mensaje: v.optional(v.pipe(v.string(), v.maxLength(600, 'El mensaje tiene más de 600 letras.'))),
  facebook: page('Facebook'),
  instagram: page('Instagram'),
})

/** What the organisers can set for an edition: name of a row of `ajustes` → shape of its value. */
export const SETTINGS = {
  'registro.candidatas': PeriodSchema,
  'registro.trajes': PeriodSchema,
  /** Whether everybody may open the pages of the accredited press. */
  'prensa.publica': v.boolean(),
  /** How many days after the final the documents are kept. */
  'privacidad.dias': v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(3_650)),
  /** How many messages the mail provider takes in a day; undefined: it was not said. */
  'correo.cuota': v.optional(
    v.pipe(
      v.number('Escribe cuántos mensajes, con números.'),
      v.integer('Escribe un número entero de mensajes.'),
      v.minValue(10, 'Escribe 10 mensajes o más, o deja el campo vacío.'),
      v.maxValue(100_000_000, 'Ese número es demasiado grande.'),
    ),
  ),
  /** The winner that the sealed count names, set by app/voting/tally; undefined: the one that the content names. */
  'votacion.ganadora': v.optional(WinnerSchema),
}

export type SettingName = keyof typeof SETTINGS
type SettingValue<Name extends SettingName> = v.InferOutput<(typeof SETTINGS)[Name]>
export type ProclaimedWinner = NonNullable<SettingValue<'votacion.ganadora'>>
export type Period = SettingValue<'registro.candidatas'>

/** The settings of an edition, each as the organisers set it, else as the content has it. */
export type EditionSettings = { [Name in SettingName]: SettingValue<Name> }

export const PRIVACY_DAYS = 90

/** One registration's period as /periodos says it. */
export interface PeriodStatus {
  estado: 'antes' | 'abierto' | 'despues'
  /** ISO moments. */
  abre: string
  cierra: string
  /** When it opens or, once it has, when it closes, as people say it: «el lunes 1 de septiembre a las 10 a.m.». */
  cuando: string
}

export type RegistrationWithPeriod = 'candidatas' | 'trajes'

/** What the site asks of whoever comes: the one thing that this moment of the edition is for. */
export type CallToAction = 'votar' | 'conocer-ganadora' | 'inscribirse' | 'conocer-candidatas'

/** What the fair's sky is like at this hour: dusk, its lights, the fireworks of the coronation, the embers of the Monday after. */
export type FairSky = 'crepusculo' | 'luces' | 'fuegos' | 'brasas'

export interface CurrentCallToAction {
  que: CallToAction
  /** What there is left of it, or of what: «Quedan 5 días para votar», «Señorita Popularidad 2025». */
  resta?: string | undefined
  /** Until when this holds, an ISO moment; absent where nothing that is known beforehand ends it. */
  hasta?: string | undefined
}

/** The answer of /periodos. */
export interface Periods extends Record<RegistrationWithPeriod, PeriodStatus> {
  /** The site's clock, an ISO moment. */
  ahora: string
  /** Absent in the answer of the version before. */
  llamado?: CurrentCallToAction | undefined
  /** Absent by day, and in the answer of the version before. */
  ambiente?: FairSky | undefined
}
