import type { PasswordRefusal } from '#app/accounts/rules.ts'
import { MAX_PASSWORD_CHARACTERS, MIN_PASSWORD_CHARACTERS } from '#app/accounts/schema.ts'

export const PASSWORD_REFUSAL_MESSAGES: Readonly<Record<PasswordRefusal | 'different', string>> = {
  tooShort: `Tu contraseña necesita al menos ${MIN_PASSWORD_CHARACTERS} caracteres. Una frase de varias palabras se recuerda bien.`,
  tooLong: `Tu contraseña puede tener hasta ${MAX_PASSWORD_CHARACTERS} caracteres: usa una más corta.`,
  tooCommon: `Esa contraseña se adivina: está hecha de nombres, palabras o números que mucha gente usa. Junta tres o cuatro palabras que no tengan que ver entre sí, ni con la feria ni con tu nombre, como «sandía violín martes costal» (pero no éstas): con ${MIN_PASSWORD_CHARACTERS} caracteres o más basta, sin números ni signos.`,
  different: 'Las dos contraseñas no son iguales. Escríbelas otra vez.',
}

export const NEW_PASSWORD_HINT = `Al menos ${MIN_PASSWORD_CHARACTERS} caracteres. Varias palabras que no van juntas son fáciles de recordar y difíciles de adivinar.`
