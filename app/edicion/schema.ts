// Longer than 350 lines: the shape of every file of an edition, each of which is short.
import * as v from 'valibot'
import { ACENTO, acentoCercano, contrasteDeAcento, sirveDeAcento } from './acento.ts'
import { diaDeCumple } from './cumple.ts'
import { REDES_SOCIALES, type RedSocial, redSocialDe } from './redes-sociales.ts'

/** How many candidates an edition may have once they are announced (D32); until then, none. */
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

/** A page on any of the networks. */
const red = v.pipe(
  enlace,
  v.check(
    (dir) => redSocialDe(dir) !== undefined,
    `debe ser una página de ${Object.values(REDES_SOCIALES)
      .map(({ nombre }) => nombre)
      .join(', ')}, como https://www.facebook.com/azahares`,
  ),
)

/** A page on one network. */
const redDe = (cual: RedSocial) => {
  const { nombre, dominios } = REDES_SOCIALES[cual]
  return v.pipe(
    enlace,
    v.check(
      (dir) => redSocialDe(dir) === cual,
      `debe ser una página de ${nombre}, como https://www.${dominios[0]}/azahares`.replace('www.wa.me', 'wa.me'),
    ),
  )
}

/** Somebody's pages: both of the specification, and others where there are any. */
const RedesSchema = v.strictObject({
  facebook: redDe('facebook'),
  instagram: redDe('instagram'),
  tiktok: v.optional(redDe('tiktok')),
  youtube: v.optional(redDe('youtube')),
  x: v.optional(redDe('x')),
  whatsapp: v.optional(redDe('whatsapp')),
  threads: v.optional(redDe('threads')),
})

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

/** An hour of Mexico City: "19:30". */
const hora = v.pipe(
  texto,
  v.regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'debe ser una hora de 00:00 a 23:59, entre comillas, como "19:30"'),
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

/** The accent of the palette, where it is not the house's. */
const acento = v.pipe(
  texto,
  v.regex(/^#[\da-f]{6}$/i, `debe ser un color de seis cifras, entre comillas, como "${ACENTO}"`),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed || !/^#[\da-f]{6}$/i.test(dataset.value) || sirveDeAcento(dataset.value)) return
    const contrast = contrasteDeAcento(dataset.value).toFixed(1)
    addIssue({
      message: `no se distingue del fondo (contraste ${contrast}; hacen falta 3): elige uno más claro, como "${acentoCercano(dataset.value)}"`,
    })
  }),
)

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
  redes: RedesSchema,
  /** Whether everybody may open the pages of the accredited press. */
  prensa: v.strictObject({ publica: v.boolean() }),
  fechas: v.strictObject({
    /** When each registration's form takes entries. */
    registro: v.strictObject({ candidatas: periodo, trajes: periodo }),
    cierreVotacion: momento,
    coronacion: momento,
  }),
  descripcion: texto,
  acento: v.optional(acento),
})

/** A cut of the home's video; the one that every browser plays, and a smaller one for those that can. */
const CorteSchema = v.strictObject({
  av1: v.optional(archivo(['webm'])),
  h264: archivo(['mp4']),
  cartel: FotoSchema,
})

const InicioSchema = v.strictObject({
  video: v.strictObject({ ancho: CorteSchema, vertical: CorteSchema }),
  introduccion: texto,
  galeria: v.array(FotoSchema),
  noticias: v.array(v.strictObject({ titulo: texto, texto, imagen: FotoSchema })),
})

const id = v.pipe(texto, v.regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'debe ir en minúsculas, sin acentos y con guiones'))

const PatrocinadoresSchema = v.pipe(
  v.array(
    v.strictObject({
      id,
      nombre: texto,
      marca: archivo(['svg', 'png']),
      red,
    }),
  ),
  v.check((todos) => sonDistintos(todos.map(({ id }) => id)), 'tiene un id repetido: cambia uno de los dos'),
)

/** The colours of light, one a candidate: of her block, her card, her bar. */
export const TONOS = ['fucsia', 'oro', 'turquesa', 'violeta', 'coral'] as const

/** Somebody's photographs. */
const FotosSchema = v.pipe(v.array(FotoSchema), v.minLength(1, 'debe tener al menos una fotografía'))

/** The candidates in the vote's order (§3), which never changes: links name a candidate by her index. */
const CandidatasSchema = v.strictObject({
  /** All of them together, once there is such a photograph: for the screen, and for the press. */
  grupo: v.optional(FotoSchema),
  grupoPrensa: v.optional(FotoSchema),
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
        galeria: FotosSchema,
        /** What the press downloads (§2.13). */
        prensa: v.optional(
          v.strictObject({
            b: v.optional(FotoSchema),
            normal: v.optional(FotoSchema),
            vestido: v.optional(FotoSchema),
          }),
          {},
        ),
      }),
    ),
    v.check(
      ({ length }) => length === 0 || length >= MIN_CANDIDATAS,
      `debe tener al menos ${MIN_CANDIDATAS} candidatas, o ninguna mientras no se anuncien`,
    ),
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
        /** By it a teacher is known again under another name. */
        id: v.optional(id),
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
        /** For the press alone. */
        retratoBn: v.optional(FotoSchema),
        bio: v.array(texto),
        galeria: FotosSchema,
        tarjetas: v.strictObject({ credenciales: TarjetaSchema, exitos: TarjetaSchema, datos: TarjetaSchema }),
        /** An upright video, 9:16; it needs subtitles if it has sound. */
        video: v.optional(
          v.strictObject({
            archivo: archivo(['mp4', 'webm']),
            cartel: FotoSchema,
            subtitulos: v.optional(archivo(['vtt'])),
          }),
        ),
        redes: RedesSchema,
      }),
    ),
    v.check((todos) => sonUnicos(todos), 'tiene dos maestros con el mismo nombre'),
    v.check(
      (todos) => sonDistintos(todos.flatMap(({ id }) => id ?? [])),
      'tiene dos maestros con el mismo id: cambia uno de los dos',
    ),
  ),
})

const ConvocatoriasSchema = v.strictObject({
  anuncios: v.array(
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
  /** The press's page (§2.10); the teachers' portraits come from maestros.yaml. */
  oficial: v.strictObject({
    boletin: v.strictObject({ titulo: texto, fecha, parrafos: v.array(texto), documento: archivo(['docx', 'pdf']) }),
    reina: v.array(FotoSchema),
    directora: v.array(FotoSchema),
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
      redes: RedesSchema,
    }),
  ),
  patrocinadores: PatrocinadoresSchema,
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

/** What a line of the fair's programme says. */
const EventoSchema = v.strictObject({
  que: texto,
  /** The place within the town. */
  lugar: texto,
  quien: v.optional(texto),
  nota: v.optional(texto),
})

/** The fair's programme. What edicion.yaml dates (the final, the vote's closing) has no hour of its own here. */
const ProgramaSchema = v.strictObject({
  /** Under the heading. */
  entrada: v.optional(texto),
  coronacion: v.optional(EventoSchema),
  cierreVotacion: v.optional(EventoSchema),
  dias: v.pipe(
    v.array(
      v.strictObject({
        fecha,
        /** What the day is known for. */
        titulo: v.optional(texto),
        eventos: v.array(
          v.strictObject({
            hora,
            /** Not later than its beginning: the morning after. */
            termina: v.optional(hora),
            ...EventoSchema.entries,
          }),
        ),
      }),
    ),
    v.check((dias) => sonDistintos(dias.map(({ fecha }) => fecha)), 'tiene dos veces el mismo día: júntalos en uno'),
  ),
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
  'programa.yaml': ProgramaSchema,
  'popularidad.yaml': PopularidadSchema,
  'votacion.yaml': VotacionSchema,
  'prensa.yaml': PrensaSchema,
  'patrocinadores.yaml': PatrocinadoresSchema,
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
