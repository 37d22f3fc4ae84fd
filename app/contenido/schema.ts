import * as v from 'valibot'

/** Counts that the specification fixes (§9). */
const IMAGENES_GALERIA = 4
const NOTICIAS = 3
const PATROCINADORES = 24
const MAESTROS = 5

const texto = v.pipe(v.string(), v.trim(), v.nonEmpty('está vacío: escribe el texto'))

const archivo = (extensiones: string[]) =>
  v.pipe(
    texto,
    v.check(
      (ruta) => !ruta.startsWith('/') && !ruta.split('/').includes('..'),
      'debe ser una ruta dentro de la carpeta de la edición, como inicio/ga1.jpg',
    ),
    v.check(
      (ruta) => extensiones.some((extension) => ruta.endsWith(`.${extension}`)),
      `debe terminar en ${extensiones.map((e) => `.${e}`).join(' o ')}`,
    ),
  )

const porcentaje = v.pipe(
  v.number(),
  v.minValue(0, 'debe estar entre 0 y 100'),
  v.maxValue(100, 'debe estar entre 0 y 100'),
)

const enlace = v.pipe(
  texto,
  v.check((dir) => URL.canParse(dir) && dir.startsWith('https://'), 'debe ser una dirección completa con https://'),
)

const red = v.pipe(
  enlace,
  v.check(
    (dir) => /^https:\/\/(www\.)?(facebook|instagram)\.com\/./.test(dir),
    'debe ser una página de facebook.com o instagram.com',
  ),
)

const momento = v.pipe(
  texto,
  v.check(
    (fecha) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/.test(fecha) && !Number.isNaN(Date.parse(fecha)),
    'debe ser fecha y hora con zona, entre comillas, como "2025-09-25T23:59:00-06:00"',
  ),
)

const anio = v.pipe(v.number(), v.integer('debe ser un año, como 2025'), v.minValue(1900), v.maxValue(2200))
const entero = v.pipe(v.number(), v.integer('debe ser un número entero'), v.minValue(1, 'debe ser 1 o más'))

/** A photograph of the edition: file, alternative text, and where the head or main detail lies (x, y in percent). */
const FotoSchema = v.strictObject({
  foto: archivo(['jpg', 'jpeg', 'png']),
  alt: texto,
  foco: v.tuple([porcentaje, porcentaje]),
})

export const ActualSchema = v.strictObject({ edicion: anio })

const EdicionSchema = v.strictObject({
  nombre: texto,
  rotulo: v.tuple([texto, texto]),
  anio,
  numero: entero,
  feria: v.strictObject({ nombre: texto, desde: anio, aniversario: entero }),
  lugar: v.strictObject({
    domicilio: texto,
    ciudad: texto,
    estado: texto,
    codigoPostal: v.pipe(texto, v.regex(/^\d{5}$/, 'debe tener cinco dígitos, entre comillas')),
  }),
  redes: v.strictObject({ facebook: red, instagram: red }),
  fechas: v.strictObject({ cierreVotacion: momento, coronacion: momento }),
  descripcion: texto,
})

const CorteSchema = v.strictObject({ av1: archivo(['webm']), h264: archivo(['mp4']), cartel: FotoSchema })

const InicioSchema = v.strictObject({
  video: v.strictObject({ ancho: CorteSchema, vertical: CorteSchema }),
  introduccion: texto,
  galeria: v.pipe(v.array(FotoSchema), v.length(IMAGENES_GALERIA, `debe tener ${IMAGENES_GALERIA} fotografías`)),
  noticias: v.pipe(
    v.array(v.strictObject({ titulo: texto, texto, imagen: FotoSchema })),
    v.length(NOTICIAS, `debe tener ${NOTICIAS} noticias`),
  ),
})

const PatrocinadoresSchema = v.pipe(
  v.array(
    v.strictObject({
      id: v.pipe(texto, v.regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'debe ir en minúsculas, sin acentos y con guiones')),
      nombre: texto,
      marca: archivo(['svg']),
      red,
    }),
  ),
  v.length(PATROCINADORES, `debe tener ${PATROCINADORES} patrocinadores`),
  v.check((todos) => new Set(todos.map((uno) => uno.id)).size === todos.length, 'tiene un id repetido'),
)

const MaestrosSchema = v.pipe(
  v.array(v.strictObject({ nombre: texto, puesto: texto })),
  v.length(MAESTROS, `debe tener ${MAESTROS} maestros`),
)

/** The screen's texts; the hints stand by the kinds of document that a registration takes. */
const RegistroSchema = v.strictObject({
  imagen: FotoSchema,
  entrada: texto,
  advertencia: texto,
  pistas: v.strictObject({
    actaNacimiento: texto,
    credencialElector: texto,
    constanciaEstudios: texto,
    fotoRostro: texto,
    fotoCuerpo: texto,
  }),
  consentimiento: v.strictObject({ antes: texto, enlace: texto, despues: texto }),
  exito: texto,
  notas: v.array(v.strictObject({ titulo: texto, texto })),
})

const PrivacidadSchema = v.strictObject({
  vigente: texto,
  entrada: texto,
  secciones: v.array(
    v.strictObject({
      titulo: texto,
      cuerpo: v.array(v.union([texto, v.array(texto)], 'debe ser un párrafo o una lista de renglones')),
    }),
  ),
})

/** File of an edition → its shape. A new file of content begins with a line here. */
export const ARCHIVOS = {
  'edicion.yaml': EdicionSchema,
  'inicio.yaml': InicioSchema,
  'patrocinadores.yaml': PatrocinadoresSchema,
  'maestros.yaml': MaestrosSchema,
  'registro.yaml': RegistroSchema,
  'privacidad.yaml': PrivacidadSchema,
}

export type Foto = v.InferOutput<typeof FotoSchema>

/** A name as it stands in an address: «Rocío Tabachín Reyes» → «rocio-tabachin-reyes». */
export const slugOf = (nombre: string) =>
  nombre
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
