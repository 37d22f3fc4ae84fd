import {
  type Campo,
  CONTROL_DE_CORREO,
  campoDeCorreo,
  campoDeOpcion,
  campoDePermiso,
  campoDeTexto,
  campoDeWhatsApp,
  MAX_CELULAR_CARACTERES,
  maximo,
  NOMBRE_COMPLETO,
  type Valor,
} from './field.ts'

/** Years. 18 to 26 is a hint of the form and a mark in the panel, not a rule. @source §5, D14 */
const EDAD_MINIMA = 1
const EDAD_MAXIMA = 120
export const EDAD_DESDE = 18
export const EDAD_HASTA = 26
/** Metres. */
const ESTATURA_MINIMA_M = 0.5
const ESTATURA_MAXIMA_M = 2.5
/** The first is the default. @source §2.8 */
const GRADOS_ESTUDIO = ['Estudiante', 'Egresada', 'Profesionista'] as const

/** The field by which a candidate allows her photograph of the face, and no other, to be published once she is accepted. */
export const PUBLICAR_ROSTRO = 'publicarRostro'

/** Years, both ends included, are what the form hints at. @source D14 */
export const fueraDeEdad = (edad: Valor | null): boolean =>
  typeof edad === 'number' && (edad < EDAD_DESDE || edad > EDAD_HASTA)

/** The typed fields of a candidate's registration, in the form's order. @source §2.8, §3, §5 */
export const CAMPOS_CANDIDATA: readonly Campo[] = [
  campoDeTexto({
    nombre: 'nombre',
    etiqueta: 'Nombre',
    ...NOMBRE_COMPLETO,
    falta: 'Escribe tu nombre completo.',
    resumen: 'titular',
    ancho: 34,
  }),
  {
    nombre: 'edad',
    etiqueta: 'Edad',
    control: {
      como: 'numero',
      step: '1',
      inputMode: 'numeric',
      ancho: 'corto',
      placeholder: '18 a 26 años',
      autoComplete: 'off',
    },
    falta: 'Escribe tu edad.',
    leer: readEdad,
    ilegible: () =>
      `Escribe tu edad en años cumplidos, con números enteros entre ${EDAD_MINIMA} y ${EDAD_MAXIMA}. Por ejemplo: 21.`,
    revisiones: [],
    resumen: 'edad',
    panel: { etiqueta: 'Edad', texto: (edad) => `${edad} años` },
    ficha: true,
    exporte: { titulo: 'Edad', ancho: 7 },
    marca: {
      titulo: `Fuera de ${EDAD_DESDE}–${EDAD_HASTA}`,
      ancho: 15,
      texto: `fuera de ${EDAD_DESDE}–${EDAD_HASTA}`,
      hay: fueraDeEdad,
    },
  },
  {
    nombre: 'estatura',
    etiqueta: 'Estatura (m)',
    control: {
      como: 'numero',
      step: '0.01',
      inputMode: 'decimal',
      ancho: 'corto',
      placeholder: '1.66 sin zapatos',
      autoComplete: 'off',
    },
    falta: 'Escribe tu estatura.',
    leer: readEstatura,
    ilegible: () => 'Escribe tu estatura en metros, entre 0.50 y 2.50 y con dos decimales a lo más. Por ejemplo: 1.66.',
    revisiones: [],
    panel: { etiqueta: 'Estatura', texto: (metros) => `${Number(metros).toFixed(2)} m` },
    ficha: true,
    exporte: { titulo: 'Estatura (m)', ancho: 12 },
  },
  campoDeOpcion({
    nombre: 'gradoEstudio',
    etiqueta: 'Grado de Estudio',
    enPanel: 'Grado de estudio',
    opciones: GRADOS_ESTUDIO,
    porOmision: GRADOS_ESTUDIO[0],
    falta: '',
    ilegible: `Elige tu grado de estudio: ${GRADOS_ESTUDIO.join(', ')}.`,
    ficha: true,
    ancho: 16,
  }),
  campoDeTexto({
    nombre: 'celular',
    etiqueta: 'Celular',
    control: { como: 'renglon', type: 'tel', ancho: 'mitad', placeholder: '10 dígitos', autoComplete: 'tel' },
    falta: 'Escribe tu número de celular.',
    revisiones: [maximo(MAX_CELULAR_CARACTERES, `El celular no debe exceder ${MAX_CELULAR_CARACTERES} caracteres.`)],
    resumen: 'celular',
    ancho: 16,
  }),
  // The specification has none: whoever leaves it empty is called by telephone (0029).
  {
    ...campoDeCorreo({
      nombre: 'correo',
      etiqueta: 'Correo electrónico (opcional)',
      enPanel: 'Correo',
      control: CONTROL_DE_CORREO,
      esOpcional: true,
      falta: '',
      resumen: 'correo',
      ancho: 28,
    }),
    fueraDeMetadata: true,
  },
  campoDePermiso({
    nombre: PUBLICAR_ROSTRO,
    etiqueta: 'Si me aceptan, pueden publicar mi fotografía de rostro en el sitio',
    ayuda: 'Es opcional: tu registro vale igual si no la marcas. Tu fotografía de cuerpo entero no se publica nunca.',
    enPanel: 'Permite publicar su rostro',
    ancho: 26,
  }),
  campoDeWhatsApp(),
]

function readEdad(text: string): number | undefined {
  if (!/^\d{1,3}$/.test(text)) return undefined
  const years = Number(text)
  return years >= EDAD_MINIMA && years <= EDAD_MAXIMA ? years : undefined
}

/** Metres. A decimal comma counts as a point: people write 1,70. */
function readEstatura(text: string): number | undefined {
  if (!/^\d(?:[.,]\d{1,2})?$/.test(text)) return undefined
  const metres = Number(text.replace(',', '.'))
  return metres >= ESTATURA_MINIMA_M && metres <= ESTATURA_MAXIMA_M ? metres : undefined
}
