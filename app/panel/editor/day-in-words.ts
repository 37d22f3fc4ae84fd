import { capitalize } from '#app/cms/schema/field-descriptor.ts'
import { datePartsOf } from '#app/core/time/mexico-dates.ts'

/** Returns whether a text is a date in the documents' form, such as 2025-09-13. */
export const isIsoDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))

/** Returns a day in Spanish words: «Sábado 13 de septiembre» for 2025-09-13. */
export function dayInWords(text: string): string {
  const { weekday, day, month } = datePartsOf(text)
  return `${capitalize(weekday)} ${day} de ${month}`
}
