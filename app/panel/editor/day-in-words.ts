import { capital } from '#app/cms/schema/field-descriptor.ts'
import { datePartsOf } from '#app/core/time/mexico-dates.ts'

/** Says whether a text is a day as the documents have it: 2025-09-13. */
export const isDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))

/** Writes 2025-09-13 as «Sábado 13 de septiembre». */
export function dayInWords(text: string): string {
  const { weekday, day, month } = datePartsOf(text)
  return `${capital(weekday)} ${day} de ${month}`
}
