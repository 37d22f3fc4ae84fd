/** Class names in one attribute, without those that do not apply. */
export const unir = (...clases: (string | false | undefined)[]) => clases.filter(Boolean).join(' ')
