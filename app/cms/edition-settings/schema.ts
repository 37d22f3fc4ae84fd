import * as v from 'valibot'

const moment = v.pipe(
  v.string(),
  v.check((text) => !Number.isNaN(Date.parse(text)), 'Escribe una fecha y una hora.'),
)

/** A period lies between two ISO moments, of which `cierra` is excluded. */
const PeriodSchema = v.pipe(
  v.strictObject({ abre: moment, cierra: moment }),
  v.check(({ abre, cierra }) => Date.parse(abre) < Date.parse(cierra), 'El cierre debe ser posterior a la apertura.'),
)

const networkPage = (network: string) =>
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

/** The proclaimed winner, with texts of her card that replace the content's texts. */
const WinnerSchema = v.strictObject({
  candidata: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
  nombreCorto: v.optional(v.pipe(v.string(), v.maxLength(60, 'El nombre corto tiene más de 60 letras.'))),
  mensaje: v.optional(v.pipe(v.string(), v.maxLength(600, 'El mensaje tiene más de 600 letras.'))),
  facebook: networkPage('Facebook'),
  instagram: networkPage('Instagram'),
})

/** The value of each row of `ajustes` has to match the schema under the row's name. */
export const SETTINGS = {
  'registro.candidatas': PeriodSchema,
  'registro.trajes': PeriodSchema,
  /** When true, the pages for the accredited press are public. */
  'prensa.publica': v.boolean(),
  /** Personal data is deleted this many days after the final, or after its arrival if it came later. */
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
  /** The winner of the sealed record, whom organisers proclaim (`proclaimWinner`); while it is undefined, the content's winner counts. */
  'votacion.ganadora': v.optional(WinnerSchema),
}

export type SettingName = keyof typeof SETTINGS
type SettingValue<Name extends SettingName> = v.InferOutput<(typeof SETTINGS)[Name]>
export type ProclaimedWinner = NonNullable<SettingValue<'votacion.ganadora'>>
export type Period = SettingValue<'registro.candidatas'>

/** An edition's settings in force (`readEditionSettings`). */
export type EditionSettings = { [Name in SettingName]: SettingValue<Name> }

/** Retention in days while organisers set none. */
export const PRIVACY_DAYS = 90

/** Status of a registration's period, as /periodos answers. */
export interface PeriodStatus {
  estado: 'antes' | 'abierto' | 'despues'
  abre: string
  cierra: string
  /** The opening in words or, from the opening on, the closing: «el lunes 1 de septiembre a las 10 a.m.». */
  cuando: string
}

export type RegistrationWithPeriod = 'candidatas' | 'trajes'

export type CallToAction = 'votar' | 'conocer-reina' | 'conocer-ganadora' | 'inscribirse' | 'conocer-candidatas'

/** The fair's sky shows dusk, lights, the fireworks of the coronation, or the embers of the Monday after it. */
export type FairSky = 'crepusculo' | 'luces' | 'fuegos' | 'brasas'

export interface CurrentCallToAction {
  que: CallToAction
  /** `resta` tells the time left or the occasion: «Quedan 5 días para votar», «Señorita Popularidad 2025». */
  resta?: string | undefined
  /** The call to action ends at this ISO moment; absent if none is known. */
  hasta?: string | undefined
}

/** The edition's phase, which stands in documents, so that the first paint shows it. */
export interface Phase {
  llamado: CurrentCallToAction
  /** The final's day and hour in words; absent in answers of the previous version. */
  final?: string | undefined
  /** The queen whom the public record of the final crowned; absent before, after her withdrawal, and in answers of the previous version. */
  reina?: { nombre: string } | undefined
  /** Titles that candidates have won, by their ids: «Primera princesa 2025». Absent before the first title. */
  titulos?: Record<string, string> | undefined
  /** The fair is ahead, on or over. */
  feria: 'antes' | 'durante' | 'despues'
  /** Present once both registrations have closed. */
  sinRegistros?: true | undefined
}

/** Event of the fair that is on or comes next, in words. */
export interface CurrentEvent {
  /** «Ahora» or «Sigue». */
  marca: string
  hora: string
  que: string
  lugar: string
}

/** Answer of /periodos; the phase is absent in answers of the previous version. */
export interface Periods extends Record<RegistrationWithPeriod, PeriodStatus>, Partial<Phase> {
  /** The ISO moment of the site's clock. */
  ahora: string
  /** Absent while there is none (`fairSkyAt`), and in answers of the previous version. */
  ambiente?: FairSky | undefined
  /** Absent on days without an event, and in answers of the previous version. */
  hoy?: CurrentEvent[] | undefined
}
