// Longer than 350 lines: the shape of every file of an edition, each of which is short.
import * as v from 'valibot'
import { diaDeCumple } from './cumple.ts'

/** Counts that §9 fixes. */
const IMAGENES_GALERIA = 4
const NOTICIAS = 3
const PATROCINADORES = 24
const MAESTROS = 5
const GALERIA_CANDIDATA = 3
const GALERIA_MAESTRO = 3
const ANUNCIOS = 2
const PATROCINADORES_POPULARIDAD = 4
/** How many candidates an edition may have (D32). */
const MIN_CANDIDATAS = 2
const MAX_CANDIDATAS = 12
/** The longest name that every screen was laid out for. */
const NOMBRE_CARACTERES = 60

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

const periodo = v.pipe(
  v.strictObject({ abre: momento, cierra: momento }),
  v.forward(
    v.check(({ abre, cierra }) => Date.parse(abre) < Date.parse(cierra), 'debe ser posterior a cuando abre'),
    ['cierra'],
  ),
)

/** A day without hour, as a calendar has it: "2025-09-12". */
const fecha = v.pipe(
  texto,
  v.check(
    (dia) => /^\d{4}-\d\d-\d\d$/.test(dia) && new Date(`${dia}T00:00Z`).toJSON()?.startsWith(dia) === true,
    'debe ser un día que exista, entre comillas, como "2025-09-12"',
  ),
)

const cumple = v.pipe(
  texto,
  v.check((dia) => diaDeCumple(dia) !== undefined, 'debe ser un día y un mes, como «7 de agosto»'),
)

const nombrePropio = v.pipe(
  texto,
  v.maxLength(NOMBRE_CARACTERES, `tiene más de ${NOMBRE_CARACTERES} caracteres: usa el nombre con que se la conoce`),
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
  feria: v.pipe(
    v.strictObject({ nombre: texto, desde: anio, aniversario: entero, inicia: fecha, termina: fecha }),
    v.forward(
      v.check(({ inicia, termina }) => inicia <= termina, 'es anterior al día en que inicia la feria'),
      ['termina'],
    ),
  ),
  lugar: v.strictObject({
    domicilio: texto,
    ciudad: texto,
    estado: texto,
    codigoPostal: v.pipe(texto, v.regex(/^\d{5}$/, 'debe tener cinco dígitos, entre comillas')),
    mapa: enlace,
  }),
  redes: v.strictObject({ facebook: red, instagram: red }),
  /** Whether everybody may open the pages of the accredited press. */
  prensa: v.strictObject({ publica: v.boolean() }),
  fechas: v.strictObject({
    /** When each registration's form takes entries. */
    registro: v.strictObject({ candidatas: periodo, trajes: periodo }),
    cierreVotacion: momento,
    coronacion: momento,
  }),
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

const id = v.pipe(texto, v.regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'debe ir en minúsculas, sin acentos y con guiones'))

const patrocinadores = (cuantos: number) =>
  v.pipe(
    v.array(
      v.strictObject({
        id,
        nombre: texto,
        marca: archivo(['svg']),
        red,
      }),
    ),
    v.length(cuantos, `debe tener ${cuantos} patrocinadores`),
    v.check((todos) => new Set(todos.map((uno) => uno.id)).size === todos.length, 'tiene un id repetido'),
  )

/** The colours of light, one a candidate: of her block, her card, her bar. */
export const TONOS = ['fucsia', 'oro', 'turquesa', 'violeta', 'coral'] as const

const galeriaDe = (cuantas: number) =>
  v.pipe(v.array(FotoSchema), v.length(cuantas, `debe tener ${cuantas} fotografías`))

/** The candidates in the vote's order (§3), which never changes: links name a candidate by her index. */
const CandidatasSchema = v.strictObject({
  grupo: FotoSchema,
  grupoPrensa: FotoSchema,
  candidatas: v.pipe(
    v.array(
      v.strictObject({
        /** Her id never changes: votes, cards and files go by it, whatever becomes of the name. */
        id: v.pipe(id, v.maxLength(NOMBRE_CARACTERES, `tiene más de ${NOMBRE_CARACTERES} caracteres: acórtalo`)),
        nombre: nombrePropio,
        /** Names under which she had votes before the site kept names itself. */
        antes: v.optional(v.array(texto), []),
        edad: entero,
        origen: texto,
        cumple,
        carrera: texto,
        signo: texto,
        pasatiempos: texto,
        semblanza: texto,
        tono: v.picklist(TONOS, `debe ser uno de: ${TONOS.join(', ')}`),
        silueta: FotoSchema,
        galeria: galeriaDe(GALERIA_CANDIDATA),
        /** What the press downloads (§2.13). */
        prensa: v.strictObject({ b: FotoSchema, normal: FotoSchema, vestido: FotoSchema }),
      }),
    ),
    v.minLength(MIN_CANDIDATAS, `debe tener al menos ${MIN_CANDIDATAS} candidatas`),
    v.maxLength(MAX_CANDIDATAS, `debe tener a lo más ${MAX_CANDIDATAS} candidatas`),
    v.check((todas) => sonUnicos(todas), 'tiene dos candidatas con el mismo nombre'),
    v.check(
      (todas) => sonDistintos(todas.map(({ id }) => id)),
      'tiene dos candidatas con el mismo id: los votos de una contarían para la otra',
    ),
    v.check(
      (todas) => sonDistintos(todas.flatMap(({ nombre, antes }) => [...new Set([nombre, ...antes])])),
      'tiene un nombre, de ahora o de «antes», en dos candidatas: los votos con él no serían de ninguna',
    ),
  ),
})

const HistoriaSchema = v.strictObject({
  hero: FotoSchema,
  entrada: texto,
  parrafos: v.array(texto),
  foto: FotoSchema,
  cita: v.strictObject({ texto, fuente: texto }),
  reina: v.strictObject({
    nombre: nombrePropio,
    foto: FotoSchema,
    nacimiento: texto,
    edad: entero,
    estudios: texto,
    bio: v.array(texto),
    cita: texto,
  }),
})

/** A card of a teacher's profile: a text whose lines begin with an asterisk (§2.7), and a photograph. */
const TarjetaSchema = v.strictObject({ texto, foto: FotoSchema })

const MaestrosSchema = v.strictObject({
  banner: FotoSchema,
  maestros: v.pipe(
    v.array(
      v.strictObject({
        nombre: nombrePropio,
        /** Job title in one line or two. */
        puesto: v.pipe(
          v.union([texto, v.array(texto)], 'debe ser un texto o una lista de dos renglones'),
          v.transform((renglones) => [renglones].flat()),
          v.minLength(1, 'está vacío: escribe el puesto'),
          v.maxLength(2, 'debe tener a lo más dos renglones'),
        ),
        descripcion: texto,
        foto: FotoSchema,
        retratoBn: FotoSchema,
        bio: v.array(texto),
        galeria: galeriaDe(GALERIA_MAESTRO),
        tarjetas: v.strictObject({ credenciales: TarjetaSchema, exitos: TarjetaSchema, datos: TarjetaSchema }),
        /** An upright video, 9:16; it needs subtitles if it has sound. */
        video: v.strictObject({
          archivo: archivo(['mp4']),
          cartel: FotoSchema,
          subtitulos: v.optional(archivo(['vtt'])),
        }),
        redes: v.strictObject({ facebook: red, instagram: red }),
      }),
    ),
    v.length(MAESTROS, `debe tener ${MAESTROS} maestros`),
    v.check((todos) => sonUnicos(todos), 'tiene dos maestros con el mismo nombre'),
  ),
})

const ConvocatoriasSchema = v.strictObject({
  anuncios: v.pipe(
    v.array(
      v.strictObject({
        titulo: texto,
        texto,
        imagen: FotoSchema,
        /**
         * Stands under the button «Registrarse» once the registration has closed; without a note there is no button
         * then.
         */
        nota: v.optional(texto),
        /** The registration that it announces. While that is open, the button leads to its form. */
        registro: v.optional(v.picklist(['candidatas', 'trajes'], 'debe ser candidatas o trajes')),
        /** Stands in place of title, text and picture until that registration closes. */
        invitacion: v.optional(v.strictObject({ titulo: texto, texto, imagen: FotoSchema })),
      }),
    ),
    v.length(ANUNCIOS, `debe tener ${ANUNCIOS} anuncios`),
  ),
  /** The press's page (§2.10); the teachers' portraits come from maestros.yaml. */
  oficial: v.strictObject({
    boletin: v.strictObject({ titulo: texto, fecha, parrafos: v.array(texto), documento: archivo(['docx']) }),
    reina: v.pipe(v.array(FotoSchema), v.minLength(1, 'debe tener al menos una fotografía')),
    directora: v.pipe(v.array(FotoSchema), v.minLength(1, 'debe tener al menos una fotografía')),
    cartel: FotoSchema,
    credito: texto,
    uso: texto,
  }),
})

const PrensaSchema = v.strictObject({
  banner: FotoSchema,
  bienvenida: v.tuple([texto, texto]),
  gracias: texto,
})

const PopularidadSchema = v.strictObject({
  /** What the winner's card says until she has words of her own. */
  proclamacion: v.strictObject({ felicitacion: texto, mensaje: texto }),
  /** The winner, known once the vote is over. */
  ganadora: v.optional(
    v.strictObject({
      /** Her id, as candidatas.yaml has it. */
      candidata: texto,
      nombreCorto: nombrePropio,
      felicitacion: texto,
      mensaje: texto,
      foto: FotoSchema,
      redes: v.strictObject({ facebook: red, instagram: red }),
    }),
  ),
  patrocinadores: patrocinadores(PATROCINADORES_POPULARIDAD),
})

/** A mail domain, as it stands after the @. */
const dominio = v.pipe(
  texto,
  v.regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'debe ser un dominio en minúsculas, como gmail.com'),
)

/** Thresholds, in votes, beyond which an origin's votes are marked. */
const ReglasSchema = v.strictObject({
  dominio: entero,
  receptor: entero,
  alojamientoPorRed: entero,
  rafagaPorRed: entero,
  rafagaPorBloque: entero,
  trabajoPorRed: entero,
  trabajoPorDominio: entero,
})

const VotacionSchema = v.strictObject({
  reglas: ReglasSchema,
  /** Domains whose addresses anybody may have. */
  proveedores: v.array(dominio),
  /** Domains of mail servers that receive for thousands of others. */
  alojamientos: v.array(dominio),
})

/** A registration's texts. Its hints stand by kinds of document, which only the entry knows (app/inscripciones/pistas.ts). */
const RegistroSchema = v.strictObject({
  imagen: FotoSchema,
  entrada: texto,
  /** Above the documents. */
  documentos: texto,
  advertencia: texto,
  pistas: v.record(v.string(), texto),
  consentimiento: v.strictObject({ antes: texto, enlace: texto, despues: texto }),
  exito: texto,
  /** `alLlenar`: of no use while the form is closed. */
  notas: v.array(v.strictObject({ titulo: texto, texto, alLlenar: v.optional(v.boolean(), false) })),
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

/** Files of an edition → their shapes. A new file of content begins with a line here. */
export const ARCHIVOS = {
  'edicion.yaml': EdicionSchema,
  'inicio.yaml': InicioSchema,
  'candidatas.yaml': CandidatasSchema,
  'historia.yaml': HistoriaSchema,
  'maestros.yaml': MaestrosSchema,
  'convocatorias.yaml': ConvocatoriasSchema,
  'popularidad.yaml': PopularidadSchema,
  'votacion.yaml': VotacionSchema,
  'prensa.yaml': PrensaSchema,
  'patrocinadores.yaml': patrocinadores(PATROCINADORES),
  'registro.yaml': RegistroSchema,
  'registro-traje.yaml': RegistroSchema,
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

const sonDistintos = (nombres: string[]): boolean => new Set(nombres).size === nombres.length

const sonUnicos = (todos: { nombre: string }[]): boolean => sonDistintos(todos.map(({ nombre }) => slugOf(nombre)))
