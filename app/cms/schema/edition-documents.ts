// Longer than 350 lines: it has the shape of every document of an edition, and each schema is short.

import * as v from 'valibot'
import { typedText } from '#app/core/text/typed-text.ts'
import { canBeAccent, DEFAULT_ACCENT, minContrastOnBackgrounds, nearestAccent } from '../accent-color.ts'
import { parseBirthday } from './birthday.ts'
import type { FieldMetadata, PhotoFrame } from './field-descriptor.ts'
import { MAX_JUDGES, MIN_SHEETS_TO_DROP } from './final-limits.ts'
import { PHOTO_FRAMES } from './photo-frames.ts'
import { slugOf } from './slug.ts'
import { normalizePageUrl, SOCIAL_NETWORKS, type SocialNetwork, socialNetworkOf } from './social-networks.ts'
import { withLabel } from './with-label.ts'

/** An announced edition has from MIN_CANDIDATES, withdrawn ones included, to MAX_CANDIDATES candidates (D32); before, it has none. */
const MIN_CANDIDATES = 2
export const MAX_CANDIDATES = 12
/** A name of this length fits the layout of every screen. */
export const MAX_NAME_CHARACTERS = 60

const text = v.pipe(
  v.string(),
  v.transform(typedText),
  v.nonEmpty('está vacío: escribe el texto'),
  v.metadata({ kind: 'text' }),
)
const longText = v.pipe(text, v.metadata({ kind: 'longText' }))

const title = withLabel(text, 'Título', { max: 120 })
const paragraphs = (label: string, metadata: FieldMetadata = {}) =>
  withLabel(v.array(withLabel(longText, 'Párrafo', { max: 1_500, ...metadata })), label, { itemName: 'párrafo' })

const file = (kind: 'logo' | 'video' | 'document' | 'photo', extensions: string[]) =>
  v.pipe(
    text,
    v.metadata({ kind, extensions }),
    v.check(
      (path) => !path.startsWith('/') && !path.split('/').includes('..'),
      'debe ser una ruta dentro de la carpeta de la edición, como inicio/ga1.jpg',
    ),
    v.check(
      (path) => extensions.some((extension) => path.endsWith(`.${extension}`)),
      `debe terminar en ${extensions.map((extension) => `.${extension}`).join(' o ')}`,
    ),
  )

const percentage = v.pipe(
  v.number(),
  v.minValue(0, 'debe estar entre 0 y 100'),
  v.maxValue(100, 'debe estar entre 0 y 100'),
)

const isCompleteUrl = v.check(
  (address: string) => URL.canParse(address) && address.startsWith('https://'),
  'debe ser una dirección completa con https://',
)

const link = v.pipe(text, isCompleteUrl, v.metadata({ kind: 'link' }))

/** The address of a page on a social network is normalised (`normalizePageUrl`) before it is checked. */
const networkLink = v.pipe(text, v.transform(normalizePageUrl), isCompleteUrl, v.metadata({ kind: 'link' }))

const networkPage = v.pipe(
  networkLink,
  v.check(
    (address) => socialNetworkOf(address) !== undefined,
    `debe ser una página de ${Object.values(SOCIAL_NETWORKS)
      .map(({ name }) => name)
      .join(', ')}, como https://www.facebook.com/azahares`,
  ),
)

const pageOnNetwork = (network: SocialNetwork) => {
  const { name, example } = SOCIAL_NETWORKS[network]
  return v.pipe(
    networkLink,
    v.check((address) => socialNetworkOf(address) === network, `debe ser una página de ${name}, como ${example}`),
  )
}

const pageOn = (network: SocialNetwork) => {
  const { name, example } = SOCIAL_NETWORKS[network]
  return withLabel(pageOnNetwork(network), name, { example })
}

/** The specification requires pages on Facebook and Instagram; the other networks are optional. */
const SocialPagesSchema = withLabel(
  v.strictObject({
    facebook: pageOn('facebook'),
    instagram: pageOn('instagram'),
    tiktok: v.optional(pageOn('tiktok')),
    youtube: v.optional(pageOn('youtube')),
    x: v.optional(pageOn('x')),
    whatsapp: v.optional(pageOn('whatsapp')),
    threads: v.optional(pageOn('threads')),
  }),
  'Redes',
)

const moment = v.pipe(
  text,
  v.check(
    (date) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/.test(date) && !Number.isNaN(Date.parse(date)),
    'debe ser fecha y hora con zona, entre comillas, como "2025-09-25T23:59:00-06:00"',
  ),
  v.metadata({ kind: 'moment' }),
)

const period = v.pipe(
  v.strictObject({ abre: withLabel(moment, 'Abre'), cierra: withLabel(moment, 'Cierra') }),
  v.forward(
    v.check(({ abre, cierra }) => Date.parse(abre) < Date.parse(cierra), 'debe ser posterior a cuando abre'),
    ['cierra'],
  ),
)

/** Day without time: "2025-09-12". */
const date = v.pipe(
  text,
  v.check(
    (day) => /^\d{4}-\d\d-\d\d$/.test(day) && new Date(`${day}T00:00Z`).toJSON()?.startsWith(day) === true,
    'debe ser un día que exista, entre comillas, como "2025-09-12"',
  ),
  v.metadata({ kind: 'date' }),
)

/** Time of day in Mexico City: "19:30". */
const timeOfDay = v.pipe(
  text,
  v.regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'debe ser una hora de 00:00 a 23:59, entre comillas, como "19:30"'),
  v.metadata({ kind: 'time' }),
)

const birthday = v.pipe(
  text,
  v.check((day) => parseBirthday(day) !== undefined, 'debe ser un día y un mes, como «7 de agosto»'),
  v.metadata({ kind: 'birthday' }),
)

const properName = v.pipe(
  text,
  v.maxLength(
    MAX_NAME_CHARACTERS,
    `tiene más de ${MAX_NAME_CHARACTERS} caracteres: usa el nombre con que se la conoce`,
  ),
)

const year = v.pipe(v.number(), v.integer('debe ser un año, como 2025'), v.minValue(1900), v.maxValue(2200))
const integer = v.pipe(v.number(), v.integer('debe ser un número entero'), v.minValue(1, 'debe ser 1 o más'))

/** A photograph has a file, an alternative text and a focal point (x, y in percent). */
const PhotoSchema = v.strictObject({
  foto: file('photo', ['jpg', 'jpeg', 'png']),
  alt: withLabel(text, 'Texto alternativo', { max: 500 }),
  foco: v.tuple([percentage, percentage]),
})

/** Makes a photograph's field. @param help advice on its content or use @param frame its frame on the screens */
const photo = (label: string, help?: string, frame?: PhotoFrame) =>
  withLabel(PhotoSchema, label, {
    kind: 'photo',
    ...(help !== undefined && { help }),
    ...(frame && { frame }),
  })

/** The accent of the palette has to be visible on the backgrounds (`canBeAccent`). */
const accent = v.pipe(
  text,
  v.regex(/^#[\da-f]{6}$/i, `debe ser un color de seis cifras, entre comillas, como "${DEFAULT_ACCENT}"`),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed || !/^#[\da-f]{6}$/i.test(dataset.value) || canBeAccent(dataset.value)) return
    const contrast = minContrastOnBackgrounds(dataset.value).toFixed(1)
    addIssue({
      message: `no se distingue del fondo (contraste ${contrast}; hacen falta 3): elige uno más claro, como "${nearestAccent(dataset.value)}"`,
    })
  }),
  v.metadata({ kind: 'color' }),
)

export const CurrentEditionSchema = v.strictObject({ edicion: year })

const EditionSchema = withLabel(
  v.strictObject({
    nombre: withLabel(text, 'Nombre del certamen', { max: 60, example: 'Señorita Azahares' }),
    rotulo: withLabel(
      v.tuple([withLabel(text, 'Primer renglón', { max: 30 }), withLabel(text, 'Segundo renglón', { max: 30 })]),
      'El nombre en dos renglones',
      {
        help: 'Como va, en letras grandes, en la portada y al pie de cada pantalla.',
      },
    ),
    anio: withLabel(year, 'Año de la edición'),
    numero: withLabel(integer, 'Número de la edición', { help: 'Qué edición del certamen es esta.', example: 101 }),
    feria: withLabel(
      v.pipe(
        v.strictObject({
          nombre: withLabel(text, 'Nombre de la feria', { max: 60, example: 'Feria de Azahares' }),
          desde: withLabel(year, 'Año de la primera feria'),
          aniversario: withLabel(integer, 'Años que cumple'),
          inicia: withLabel(date, 'Primer día'),
          termina: withLabel(date, 'Último día'),
        }),
        v.forward(
          v.check(({ inicia, termina }) => inicia <= termina, 'es anterior al día en que inicia la feria'),
          ['termina'],
        ),
      ),
      'La feria',
    ),
    lugar: withLabel(
      v.strictObject({
        domicilio: withLabel(text, 'Domicilio', { max: 120, example: 'Portal Hidalgo 14, Centro' }),
        ciudad: withLabel(text, 'Ciudad', { max: 60 }),
        estado: withLabel(text, 'Estado', { max: 40 }),
        codigoPostal: withLabel(
          v.pipe(text, v.regex(/^\d{5}$/, 'debe tener cinco dígitos, entre comillas')),
          'Código postal',
          {
            example: '47180',
          },
        ),
        mapa: withLabel(link, 'Enlace del mapa', {
          help: 'En Google Maps busca el lugar, toca «Compartir» y pega aquí el enlace.',
        }),
      }),
      'Dónde está el comité',
    ),
    redes: SocialPagesSchema,
    prensa: withLabel(
      v.strictObject({
        publica: withLabel(v.boolean(), 'Cualquiera puede abrir el material de prensa'),
      }),
      'Prensa',
      // Hidden, because the panel's screen «Ajustes del año» sets it.
      { isHidden: true },
    ),
    fechas: withLabel(
      v.pipe(
        v.strictObject({
          /** Periods in which the forms take entries, while organisers set no others. */
          registro: withLabel(
            v.strictObject({
              candidatas: withLabel(period, 'Registro de candidatas'),
              trajes: withLabel(period, 'Registro de trajes típicos'),
            }),
            'Cuándo se reciben registros',
            { isHidden: true },
          ),
          aperturaVotacion: v.optional(
            withLabel(moment, 'Abre la votación', { help: 'Sin ella, abre en cuanto se publican las candidatas.' }),
          ),
          cierreVotacion: withLabel(moment, 'Cierra la votación'),
          coronacion: withLabel(moment, 'Final y coronación'),
        }),
        v.forward(
          v.check(
            ({ aperturaVotacion, cierreVotacion }) =>
              aperturaVotacion === undefined || Date.parse(aperturaVotacion) < Date.parse(cierreVotacion),
            'debe ser antes de «Cierra la votación»: cambia una de las dos',
          ),
          ['aperturaVotacion'],
        ),
      ),
      'Fechas',
      {
        help: 'Cada fecha se escribe una vez, y todas las pantallas la siguen. La hora es la del centro de México. Cuándo se reciben registros se cambia en «Ajustes del año».',
      },
    ),
    descripcion: withLabel(longText, 'Descripción para buscadores', {
      help: 'Lo que se lee del sitio en Google y al compartirlo.',
      max: 300,
    }),
    acento: v.optional(
      withLabel(accent, 'Color del sitio', { help: 'El de los botones y las líneas. Sin él, es el rosa de siempre.' }),
    ),
  }),
  'El certamen',
)

const slug = v.pipe(text, v.regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'debe ir en minúsculas, sin acentos y con guiones'))
const id = withLabel(slug, 'Clave en el sitio', { kind: 'id' })
/** The last part of an item's address, which the site makes of the first title; items of older editions have none. */
const addressId = v.optional(withLabel(slug, 'Clave en el sitio', { kind: 'id', isHidden: true }))

/**
 * A cut of the home's video is H.264 for every browser. The sample has a smaller AV1 beside it for browsers that play AV1; the
 * panel removes it when the video is replaced (`FileInput`).
 */
const videoCut = (label: string, help: string) =>
  withLabel(
    v.strictObject({
      av1: v.optional(withLabel(file('video', ['webm']), 'Copia más ligera del video (WebM)', { isHidden: true })),
      h264: withLabel(file('video', ['mp4']), 'Video', {
        help: 'En MP4, que se ve en todos los teléfonos.',
      }),
      cartel: photo('Imagen fija', 'Se ve mientras carga el video, y en su lugar cuando no se mueve.'),
    }),
    label,
    { help },
  )

const HomeSchema = withLabel(
  v.strictObject({
    video: withLabel(
      v.strictObject({
        ancho: videoCut('En computadora', 'Acostado, para pantallas anchas.'),
        vertical: videoCut('En teléfono', 'De pie.'),
      }),
      'El video de la portada',
    ),
    introduccion: withLabel(longText, 'Introducción', { hasEmphasis: true, max: 600 }),
    galeria: withLabel(v.array(photo('Fotografía', undefined, PHOTO_FRAMES.carousel)), 'Fotografías', {
      itemName: 'fotografía',
    }),
    noticias: withLabel(
      v.array(
        v.strictObject({
          id: addressId,
          titulo: title,
          fecha: v.optional(withLabel(date, 'Fecha')),
          texto: withLabel(longText, 'Texto', { hasMarks: true, max: 800 }),
          imagen: photo('Fotografía', undefined, PHOTO_FRAMES.newsItem),
        }),
      ),
      'Noticias',
      {
        itemName: 'noticia',
        help: 'Se ven en este orden. La que agregas queda al final: súbela para que sea la primera.',
      },
    ),
  }),
  'Portada',
)

const SponsorsSchema = withLabel(
  v.pipe(
    v.array(
      v.strictObject({
        id,
        nombre: withLabel(text, 'Nombre', { max: 60, example: 'Panadería El Azahar' }),
        marca: withLabel(file('logo', ['svg', 'png']), 'Logotipo'),
        red: withLabel(networkPage, 'Su página', { example: 'https://www.facebook.com/azahares' }),
      }),
    ),
    v.check((sponsors) => areDistinct(sponsors.map(({ id }) => id)), 'tiene un id repetido: cambia uno de los dos'),
  ),
  'Patrocinadores',
  { itemName: 'patrocinador' },
)

/** A candidate's block, share card and bar of votes have one of these colours. */
export const TONES = ['fucsia', 'oro', 'turquesa', 'violeta', 'coral'] as const

const photos = (frame: PhotoFrame) =>
  withLabel(
    v.pipe(v.array(photo('Fotografía', undefined, frame)), v.minLength(1, 'debe tener al menos una fotografía')),
    'Fotografías',
    { itemName: 'fotografía' },
  )

/** The candidates stand in the vote's order (§3). Once the vote has begun, no candidate may change her place. */
const CandidatesSchema = withLabel(
  v.pipe(
    v.strictObject({
      candidatas: withLabel(
        v.pipe(
          v.array(
            v.strictObject({
              /** Votes are counted by the id, so it must not change once the candidate has votes, even if her name does. */
              id: v.pipe(
                id,
                v.maxLength(MAX_NAME_CHARACTERS, `tiene más de ${MAX_NAME_CHARACTERS} caracteres: acórtalo`),
              ),
              nombre: withLabel(properName, 'Nombre completo', { example: 'Valeria Bugambilia Olmos' }),
              /** `antes` has former names with votes, from before the site kept track of names itself. */
              antes: v.optional(
                withLabel(v.array(withLabel(text, 'Nombre de antes')), 'Nombres de antes', {
                  isHidden: true,
                  itemName: 'nombre',
                }),
                [],
              ),
              edad: withLabel(integer, 'Edad', { example: 22 }),
              origen: withLabel(text, 'De dónde es', { max: 60, example: 'El Salitre' }),
              cumple: withLabel(birthday, 'Cumpleaños', { example: '7 de agosto' }),
              carrera: withLabel(text, 'Qué estudia o a qué se dedica', {
                max: 80,
                example: 'Licenciatura en Enfermería',
              }),
              signo: withLabel(text, 'Signo', { max: 20, example: 'Leo' }),
              pasatiempos: withLabel(text, 'Pasatiempos', { max: 120, example: 'Danza folclórica y natación' }),
              semblanza: withLabel(longText, 'Semblanza', { help: 'Dos o tres frases sobre ella.', max: 600 }),
              tono: withLabel(v.picklist(TONES, `debe ser uno de: ${TONES.join(', ')}`), 'Su color', {
                kind: 'tone',
                help: 'El de su luz en la pantalla, su tarjeta y su barra de votos.',
              }),
              silueta: photo(
                'Silueta',
                'De cuerpo entero. Se ve en la portada, junto a su nombre en «Candidatas» y en las hojas del jurado. Sirve cualquiera a contraluz, o recortada de su fondo.',
                PHOTO_FRAMES.silhouette,
              ),
              galeria: photos(PHOTO_FRAMES.candidateGallery),
              /** The press downloads these photographs (§2.13). */
              prensa: v.optional(
                withLabel(
                  v.strictObject({
                    b: v.optional(photo('Blanco y negro')),
                    normal: v.optional(photo('A color')),
                    vestido: v.optional(photo('Con vestido')),
                  }),
                  'Para la prensa',
                  { help: 'Lo que descargan los medios acreditados.' },
                ),
                {},
              ),
            }),
          ),
          v.maxLength(MAX_CANDIDATES, `debe tener a lo más ${MAX_CANDIDATES} candidatas`),
          v.check((candidates) => haveDistinctSlugs(candidates), 'tiene dos candidatas con el mismo nombre'),
          v.check(
            (candidates) => areDistinct(candidates.map(({ id }) => id)),
            'tiene dos candidatas con el mismo id: los votos de una contarían para la otra',
          ),
          v.check(
            (candidates) => areDistinct(candidates.flatMap(({ nombre, antes }) => [...new Set([nombre, ...antes])])),
            'tiene un nombre, de ahora o de «antes», en dos candidatas: los votos con él no serían de ninguna',
          ),
        ),
        'Candidatas',
        {
          itemName: 'candidata',
          help: `De ${MIN_CANDIDATES} a ${MAX_CANDIDATES}, o ninguna mientras no se anuncien. Van en el orden de la votación.`,
        },
      ),
      /** `grupo` is the group photograph for the screens, `grupoPrensa` the one for the press. */
      grupo: v.optional(photo('Todas juntas', undefined, PHOTO_FRAMES.group)),
      grupoPrensa: v.optional(photo('Todas juntas, para la prensa')),
      /** The places of withdrawn candidates in the vote's order stay empty, since links name a candidate by place. */
      retiradas: v.optional(
        withLabel(
          v.array(
            withLabel(
              v.strictObject({
                id: withLabel(id, 'Identificador'),
                /** The place in the vote's order, from 0. */
                lugar: withLabel(v.pipe(v.number(), v.integer(), v.minValue(0)), 'Lugar'),
                /** A candidate whom votes may name keeps her name, since the tally has to name her. */
                nombre: v.optional(withLabel(properName, 'Nombre')),
                /** The ISO moment of the withdrawal. */
                desde: withLabel(text, 'Desde'),
              }),
              'Retirada',
            ),
          ),
          'Retiradas',
          { isHidden: true, itemName: 'candidata' },
        ),
        [],
      ),
    }),
    v.forward(
      v.check(
        ({ candidatas, retiradas }) =>
          candidatas.length === 0 || candidatas.length + retiradas.length >= MIN_CANDIDATES,
        `debe tener al menos ${MIN_CANDIDATES} candidatas, o ninguna mientras no se anuncien`,
      ),
      ['candidatas'],
    ),
  ),
  'Candidatas',
)

const HistorySchema = withLabel(
  v.strictObject({
    hero: photo('Fotografía de portada', undefined, PHOTO_FRAMES.history),
    entrada: withLabel(longText, 'Primer párrafo', { help: 'Va en letra más grande.', max: 600 }),
    parrafos: paragraphs('La crónica'),
    foto: photo('Fotografía antigua', undefined, PHOTO_FRAMES.oldPhoto),
    cita: withLabel(
      v.strictObject({
        texto: withLabel(longText, 'Frase', { help: 'Sin comillas: las pone el sitio.', max: 300 }),
        fuente: withLabel(text, 'De quién es', { max: 160 }),
      }),
      'Una frase',
    ),
    reina: withLabel(
      v.strictObject({
        nombre: withLabel(properName, 'Nombre completo'),
        foto: photo('Retrato', undefined, PHOTO_FRAMES.queen),
        nacimiento: withLabel(text, 'Lugar de nacimiento', { max: 80, example: 'Azahares, Jalisco' }),
        edad: withLabel(integer, 'Edad'),
        estudios: withLabel(text, 'Estudios', { max: 80 }),
        bio: paragraphs('Su historia'),
        cita: withLabel(longText, 'Una frase suya', { help: 'Sin comillas: las pone el sitio.', max: 300 }),
      }),
      'La reina',
    ),
  }),
  'Historia y reina',
)

/** A card of a teacher's profile has a photograph and a text whose lines begin with an asterisk (§2.7). */
const profileCard = (label: string) =>
  withLabel(
    v.strictObject({
      texto: withLabel(longText, 'Renglones', { help: 'Cada renglón empieza con un asterisco: * Así.', max: 600 }),
      foto: photo('Fotografía', undefined, PHOTO_FRAMES.profileCard),
    }),
    label,
  )

const TeachersSchema = withLabel(
  v.strictObject({
    banner: photo('Fotografía de portada', undefined, PHOTO_FRAMES.teachers),
    maestros: withLabel(
      v.pipe(
        v.array(
          v.strictObject({
            /** `id` identifies the teacher after a change of name. */
            id: v.optional(id),
            nombre: withLabel(properName, 'Nombre completo'),
            /** The job title in one line or two. */
            puesto: withLabel(
              v.pipe(
                v.union([text, v.array(text)], 'debe ser un texto o una lista de dos renglones'),
                v.transform((lines) => [lines].flat()),
                v.minLength(1, 'está vacío: escribe el puesto'),
                v.maxLength(2, 'debe tener a lo más dos renglones'),
              ),
              'Puesto',
              { kind: 'lines', help: 'En un renglón o en dos.', example: 'Entrenadora física' },
            ),
            descripcion: withLabel(longText, 'En una línea', { max: 200 }),
            foto: photo('Retrato', undefined, PHOTO_FRAMES.teacher),
            retratoBn: v.optional(photo('Retrato en blanco y negro, para la prensa')),
            bio: paragraphs('Su historia'),
            galeria: photos(PHOTO_FRAMES.teacherGallery),
            tarjetas: withLabel(
              v.strictObject({
                credenciales: profileCard('Credenciales'),
                exitos: profileCard('Éxitos'),
                datos: profileCard('Datos curiosos'),
              }),
              'Tarjetas',
            ),
            /** The video is upright, 9:16. A video with sound needs subtitles, which no check enforces. */
            video: v.optional(
              withLabel(
                v.strictObject({
                  archivo: withLabel(file('video', ['mp4', 'webm']), 'Video', { help: 'De pie.' }),
                  cartel: photo('Imagen fija'),
                  subtitulos: v.optional(
                    withLabel(file('document', ['vtt']), 'Subtítulos', {
                      help: 'Hacen falta si el video tiene sonido.',
                    }),
                  ),
                }),
                'Video',
              ),
            ),
            redes: SocialPagesSchema,
          }),
        ),
        v.check((teachers) => haveDistinctSlugs(teachers), 'tiene dos maestros con el mismo nombre'),
        v.check(
          (teachers) => areDistinct(teachers.flatMap(({ id }) => id ?? [])),
          'tiene dos maestros con el mismo id: cambia uno de los dos',
        ),
      ),
      'Maestros',
      { itemName: 'perfil' },
    ),
  }),
  'Maestros',
)

const CallsSchema = withLabel(
  v.strictObject({
    anuncios: withLabel(
      v.array(
        v.strictObject({
          id: addressId,
          /** `invitacion` replaces title, text and picture until the registration closes, so the form asks for it first. */
          invitacion: v.optional(
            withLabel(
              v.strictObject({
                titulo: title,
                texto: withLabel(longText, 'Texto', { hasMarks: true, max: 600 }),
                imagen: photo('Cartel', undefined, PHOTO_FRAMES.announcement),
              }),
              'Mientras el registro está abierto',
              { help: 'Sólo si anuncia un registro: se ve en lugar de lo de abajo hasta que cierre.' },
            ),
          ),
          titulo: withLabel(title, 'Título', {
            help: 'Desde aquí, lo que se ve cuando el registro ya cerró, o si no anuncia ninguno.',
          }),
          fecha: v.optional(withLabel(date, 'Fecha')),
          texto: withLabel(longText, 'Texto', { hasMarks: true, max: 600 }),
          imagen: photo(
            'Cartel',
            'El texto alternativo dice todo lo que el cartel dice con letras.',
            PHOTO_FRAMES.announcement,
          ),
          /** `nota` stands under the disabled button of a closed registration; without a note a link to the candidates replaces both. */
          nota: v.optional(
            withLabel(text, 'Nota cuando ya cerró', {
              help: 'Va bajo el botón «Registrarse», que entonces ya no se puede tocar. Sin nota no hay botón.',
              max: 160,
            }),
          ),
          /** While the announced registration is open, the button leads to its form. */
          registro: v.optional(
            withLabel(v.picklist(['candidatas', 'trajes'], 'debe ser candidatas o trajes'), 'Registro que anuncia', {
              options: { candidatas: 'El de candidatas', trajes: 'El de trajes típicos' },
            }),
          ),
          /** Every visitor can download `documento` and `bases`. */
          documento: v.optional(
            withLabel(file('document', ['pdf', 'docx']), 'La convocatoria completa', {
              help: 'Si tienes un solo PDF, ponlo aquí.',
            }),
          ),
          bases: v.optional(
            withLabel(file('document', ['pdf', 'docx']), 'Las bases', {
              help: 'Las reglas, si van en un archivo aparte.',
            }),
          ),
        }),
      ),
      'Convocatorias',
      { itemName: 'convocatoria' },
    ),
    /** The press's page (§2.10), whose portraits of teachers come from maestros.yaml. */
    oficial: withLabel(
      v.strictObject({
        boletin: withLabel(
          v.strictObject({
            titulo: title,
            fecha: withLabel(date, 'Fecha'),
            parrafos: paragraphs('Texto', { hasMarks: true }),
            documento: withLabel(file('document', ['docx', 'pdf']), 'Documento para descargar'),
          }),
          'Boletín de prensa',
        ),
        reina: withLabel(v.array(photo('Fotografía')), 'Fotografías de la reina', { itemName: 'fotografía' }),
        directora: withLabel(v.array(photo('Fotografía')), 'Fotografías de la dirección', { itemName: 'fotografía' }),
        cartel: photo('Cartel de la convocatoria'),
        credito: withLabel(text, 'Crédito de las fotografías', { max: 160 }),
        uso: withLabel(longText, 'Condiciones de uso', { max: 500 }),
      }),
      'Convocatoria oficial',
    ),
  }),
  'Convocatorias',
)

const PressSchema = withLabel(
  v.strictObject({
    banner: photo('Fotografía de portada', undefined, PHOTO_FRAMES.strip),
    bienvenida: withLabel(
      v.tuple([
        withLabel(longText, 'Primer párrafo', { max: 500 }),
        withLabel(longText, 'Segundo párrafo', { max: 500 }),
      ]),
      'Antes de entrar',
    ),
    gracias: withLabel(longText, 'Después de entrar', { max: 500 }),
  }),
  'Sala de prensa',
)

const PopularitySchema = withLabel(
  v.strictObject({
    /** The winner's card has these texts unless `ganadora` or the proclamation has texts for her. */
    proclamacion: withLabel(
      v.strictObject({
        felicitacion: withLabel(text, 'Felicitación', { max: 60, example: '¡Felicidades!' }),
        mensaje: withLabel(longText, 'Su mensaje', { max: 500 }),
      }),
      'La tarjeta de quien gane',
      { help: 'Lo que dice mientras ella no tenga palabras suyas.' },
    ),
    /** Texts of the winner's card; while organisers proclaim no winner in the panel, also who won. */
    ganadora: v.optional(
      withLabel(
        v.strictObject({
          /** The winner's id in candidatas.yaml. */
          candidata: withLabel(text, 'Quién ganó', { kind: 'candidate' }),
          nombreCorto: withLabel(properName, 'Nombre corto', { example: 'Ximena Agave' }),
          felicitacion: withLabel(text, 'Felicitación', { max: 60, example: '¡Felicidades!' }),
          mensaje: withLabel(longText, 'Su mensaje', { max: 500 }),
          foto: photo('Fotografía', undefined, PHOTO_FRAMES.winner),
          redes: SocialPagesSchema,
        }),
        'Las palabras de la ganadora',
        { help: 'Sólo el acta de cierre la proclama; aquí va lo que dice su tarjeta.' },
      ),
    ),
    patrocinadores: withLabel(SponsorsSchema, 'Patrocinadores de la votación'),
  }),
  'Señorita Popularidad',
)

/** A mail domain is written as it stands after the @. */
const domain = v.pipe(
  text,
  v.regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'debe ser un dominio en minúsculas, como gmail.com'),
  v.title('Dominio'),
)

/** An origin's votes are flagged above these numbers of votes. `unoDeCada` raises the first two, the two `trabajo…` only ask for work. */
const RulesSchema = withLabel(
  v.strictObject({
    dominio: withLabel(integer, 'De un mismo dominio propio', {
      help: 'Correos de una empresa o una escuela: quien administra el dominio hace los buzones que quiera.',
    }),
    servicio: v.optional(
      withLabel(integer, 'De servicios de alias, todos juntos', {
        help: 'Servicios en que una sola cuenta tiene cuantas direcciones quiera (duck.com, SimpleLogin, Firefox Relay).',
      }),
      4,
    ),
    unoDeCada: v.optional(
      withLabel(integer, 'Esos dos límites crecen hasta uno de cada', {
        help: 'Con 750: cuando hay 30,000 votos, un dominio puede tener 40 sin que se marquen.',
      }),
      750,
    ),
    /** `receptor` and `alojamientoPorRed` exist in older editions only, and no longer flag votes. */
    receptor: v.optional(withLabel(integer, 'De un mismo servidor', { isHidden: true })),
    alojamientoPorRed: v.optional(withLabel(integer, 'De un mismo alojamiento y una misma red', { isHidden: true })),
    rafagaPorRed: withLabel(integer, 'En diez minutos, desde una red'),
    rafagaPorBloque: withLabel(integer, 'En diez minutos, desde una compañía telefónica'),
    trabajoPorRed: withLabel(integer, 'Desde una red, para pedir trabajo al teléfono', {
      help: 'No marca ningún voto: desde ahí cada uno toma un momento más.',
    }),
    trabajoPorDominio: withLabel(integer, 'Por dominio propio, para pedir trabajo al teléfono'),
  }),
  'Cuántos votos de un mismo origen se marcan',
  { help: 'Se publican en el acta de cero, y desde ella ya no cambian.' },
)

const VotingSchema = withLabel(
  v.strictObject({
    reglas: RulesSchema,
    retiro: v.optional(
      withLabel(
        v.picklist(['nulos', 'cuentan'], 'debe ser nulos o cuentan'),
        'Los votos de una candidata que se retira',
        {
          help: '«nulos»: se cuentan en «Otros / inválidos». «cuentan»: siguen siendo suyos, pero no puede ganar. Se publica en el acta de cero, y desde ella ya no cambia.',
        },
      ),
      'nulos',
    ),
    /** Domains of public mail providers. */
    proveedores: withLabel(v.array(domain), 'Correos que cualquiera tiene', { itemName: 'dominio' }),
    /** `alojamientos` exists in older editions only, together with `receptor`. */
    alojamientos: v.optional(
      withLabel(v.array(domain), 'Servidores que reciben el correo de miles', { itemName: 'dominio', isHidden: true }),
    ),
  }),
  'Reglas de la votación',
)

/** The weights of a round's criteria add up to this sum. */
const TOTAL_WEIGHT = 100

const CriterionSchema = v.strictObject({
  nombre: withLabel(text, 'Criterio', { max: 40, example: 'Porte y elegancia' }),
  peso: withLabel(v.pipe(integer, v.maxValue(TOTAL_WEIGHT, 'debe ser 100 o menos')), 'Cuánto pesa', {
    help: 'Los de una ronda suman 100.',
    example: 40,
  }),
})

const RoundSchema = v.strictObject({
  nombre: withLabel(text, 'Nombre de la ronda', { max: 40, example: 'Traje típico' }),
  clase: withLabel(
    v.picklist(['presentacion', 'traje', 'talento', 'pregunta'], 'debe ser presentacion, traje, talento o pregunta'),
    'De qué es',
    {
      options: {
        presentacion: 'Presentación',
        traje: 'Pasarela con traje',
        talento: 'Talento',
        pregunta: 'Pregunta del jurado',
      },
    },
  ),
  criterios: withLabel(
    v.pipe(
      v.array(CriterionSchema),
      v.minLength(1, 'debe tener al menos un criterio'),
      v.maxLength(5, 'debe tener a lo más cinco criterios'),
      v.check(
        (criteria) => areDistinct(criteria.map(({ nombre }) => nombre)),
        'tiene dos criterios con el mismo nombre: cambia uno de los dos',
      ),
      v.check(
        (criteria) => criteria.reduce((sum, { peso }) => sum + peso, 0) === TOTAL_WEIGHT,
        'pesa en total otra cosa que 100: corrige lo que pesa cada criterio',
      ),
    ),
    'Criterios',
    { itemName: 'criterio', help: 'Cada juez da de 1 a 10 por criterio.' },
  ),
  pasan: v.optional(
    withLabel(integer, 'Cuántas pasan a la ronda siguiente', {
      help: 'Vacío: pasan todas. En la última se deja vacío.',
    }),
  ),
  desdeCero: v.optional(
    withLabel(v.boolean(), 'Empieza desde cero', { help: 'Los puntos de las rondas anteriores ya no cuentan.' }),
    false,
  ),
})

/** The judges' night has rounds, criteria, tie-breaks and titles. Without rounds there is no judges' night. */
const FinalSchema = withLabel(
  v.pipe(
    v.strictObject({
      jueces: v.optional(
        withLabel(v.pipe(integer, v.maxValue(MAX_JUDGES, `debe ser ${MAX_JUDGES} o menos`)), 'Cuántos jueces hay'),
        5,
      ),
      medios: v.optional(withLabel(v.boolean(), 'Se puede dar medio punto'), false),
      descarta: v.optional(
        withLabel(v.boolean(), 'No cuentan la calificación más alta ni la más baja', {
          help: `De cada candidata en cada ronda. Hace falta que califiquen al menos ${MIN_SHEETS_TO_DROP} jueces.`,
        }),
        false,
      ),
      conNombres: v.optional(
        withLabel(v.boolean(), 'El acta dice los nombres del jurado', { help: 'Si no, dice «Jurado 1», «Jurado 2»…' }),
        false,
      ),
      rondas: withLabel(
        v.pipe(
          v.array(RoundSchema),
          v.maxLength(8, 'debe tener a lo más ocho rondas'),
          v.check(
            (rounds) => areDistinct(rounds.map(({ nombre }) => nombre)),
            'tiene dos rondas con el mismo nombre: cambia uno de los dos',
          ),
          v.check(
            (rounds) => rounds.at(-1)?.pasan === undefined,
            'dice en la última cuántas pasan, y no hay otra después: déjalo vacío',
          ),
        ),
        'Rondas',
        { itemName: 'ronda' },
      ),
      desempate: v.optional(
        withLabel(
          v.array(
            v.strictObject({
              ronda: withLabel(text, 'Quien tenga más en la ronda', {
                help: 'Su nombre, como está arriba.',
                example: 'Pregunta del jurado',
              }),
              criterio: v.optional(
                withLabel(text, 'Y de ella, en el criterio', { help: 'Vacío: en la ronda completa.' }),
              ),
            }),
          ),
          'Si hay empate',
          {
            itemName: 'regla',
            help: 'Se miran en este orden; una ronda que todavía no pasa se salta. Si nada decide, lo decide un sorteo que sale del sello del acta con que se abre la final, y que cualquiera puede repetir.',
          },
        ),
        [],
      ),
      lugares: v.optional(
        withLabel(
          v.array(withLabel(text, 'Título', { max: 60, example: 'Primera princesa' })),
          'Los títulos, desde el primer lugar',
          {
            itemName: 'título',
          },
        ),
        [],
      ),
    }),
    v.forward(
      v.check(
        ({ descarta, jueces }) => !descarta || jueces >= MIN_SHEETS_TO_DROP,
        `necesita al menos ${MIN_SHEETS_TO_DROP} jueces`,
      ),
      ['descarta'],
    ),
    v.forward(
      v.check(
        ({ desempate, rondas }) =>
          desempate.every(({ ronda, criterio }) => {
            const namedRound = rondas.find(({ nombre }) => nombre === ronda)
            return (
              namedRound && (criterio === undefined || namedRound.criterios.some(({ nombre }) => nombre === criterio))
            )
          }),
        'nombra una ronda, o un criterio de ella, que no hay: escríbelo como está en «Rondas»',
      ),
      ['desempate'],
    ),
  ),
  'La noche de la final',
)

/** An event of the fair's programme, without its time. */
const EventSchema = v.strictObject({
  /** Id for addresses and calendars, which the site assigns. */
  id: v.optional(withLabel(slug, 'Clave en el calendario', { isHidden: true })),
  que: withLabel(text, 'Qué hay', { max: 140, example: 'Desfile inaugural con carros alegóricos' }),
  lugar: withLabel(text, 'Dónde', { max: 100, example: 'Explanada de la parroquia' }),
  quien: v.optional(withLabel(text, 'Quién participa', { max: 140 })),
  nota: v.optional(withLabel(text, 'Nota', { max: 160 })),
})

/** In the fair's programme the final and the vote's opening and closing have no time, since edicion.yaml dates them. */
const ProgrammeSchema = withLabel(
  v.strictObject({
    entrada: v.optional(withLabel(longText, 'Bajo el título', { max: 400 })),
    coronacion: v.optional(
      withLabel(EventSchema, 'La coronación', { help: 'Su día y su hora son los de «El certamen».' }),
    ),
    aperturaVotacion: v.optional(
      withLabel(EventSchema, 'La apertura de la votación', { help: 'Su día y su hora son los de «El certamen».' }),
    ),
    cierreVotacion: v.optional(
      withLabel(EventSchema, 'El cierre de la votación', { help: 'Su día y su hora son los de «El certamen».' }),
    ),
    dias: withLabel(
      v.pipe(
        v.array(
          v.strictObject({
            fecha: withLabel(date, 'Día'),
            titulo: v.optional(withLabel(text, 'Título del día', { max: 80, example: 'Domingo de familia' })),
            eventos: withLabel(
              v.array(
                v.strictObject({
                  hora: withLabel(timeOfDay, 'Empieza'),
                  /** An end that is not after the start falls on the next day. */
                  termina: v.optional(withLabel(timeOfDay, 'Termina')),
                  ...EventSchema.entries,
                }),
              ),
              'Eventos',
              { itemName: 'evento' },
            ),
          }),
        ),
        v.check((days) => areDistinct(days.map(({ fecha }) => fecha)), 'tiene dos veces el mismo día: júntalos en uno'),
      ),
      'Días',
      { itemName: 'día' },
    ),
  }),
  'Programa de la feria',
)

/**
 * Describes the texts of a registration form, with hints by document kind (app/entries/definitions/document-hints.ts).
 * @param documentLabels document kind → label
 */
const registrationSchema = (label: string, documentLabels: Record<string, string>) =>
  withLabel(
    v.strictObject({
      imagen: photo('Fotografía', undefined, PHOTO_FRAMES.strip),
      entrada: withLabel(longText, 'Bajo el título', { max: 300 }),
      documentos: withLabel(text, 'Título de los documentos', { max: 60 }),
      advertencia: withLabel(longText, 'Advertencia sobre los archivos', { max: 200 }),
      pistas: withLabel(
        v.record(v.string(), withLabel(text, 'Pista', { max: 160 })),
        'Qué se dice junto a cada documento',
        {
          keyLabels: documentLabels,
        },
      ),
      consentimiento: withLabel(
        v.strictObject({
          antes: withLabel(longText, 'Antes del enlace', { max: 300 }),
          enlace: withLabel(text, 'El enlace', { max: 60 }),
          despues: withLabel(text, 'Después del enlace', { max: 200 }),
        }),
        'El consentimiento',
      ),
      exito: withLabel(longText, 'Cuando se recibió', { help: 'Bajo «Registro exitoso.»', max: 400 }),
      /** A note with `alLlenar` is shown only while the registration is open. */
      notas: withLabel(
        v.array(
          v.strictObject({
            titulo: title,
            texto: withLabel(longText, 'Texto', { max: 300 }),
            alLlenar: v.optional(withLabel(v.boolean(), 'Sólo mientras el registro está abierto'), false),
          }),
        ),
        'Notas junto al formulario',
        { itemName: 'nota' },
      ),
    }),
    label,
  )

const PrivacySchema = withLabel(
  v.strictObject({
    vigente: withLabel(text, 'Vigente desde', { max: 40, example: '15 de julio de 2025' }),
    entrada: withLabel(longText, 'Bajo el título', { max: 500 }),
    secciones: withLabel(
      v.array(
        v.strictObject({
          titulo: title,
          cuerpo: withLabel(
            v.array(
              withLabel(v.union([text, v.array(text)], 'debe ser un párrafo o una lista de renglones'), 'Párrafo', {
                kind: 'paragraph',
                help: 'Para una lista, empieza cada renglón con un guion.',
              }),
            ),
            'Texto',
            { itemName: 'párrafo' },
          ),
        }),
      ),
      'Secciones',
      { itemName: 'sección' },
    ),
  }),
  'Aviso de privacidad',
)

/** Document → schema. A new content file begins with a line here. */
export const DOCUMENT_SCHEMAS = {
  'edicion.yaml': EditionSchema,
  'inicio.yaml': HomeSchema,
  'candidatas.yaml': CandidatesSchema,
  'historia.yaml': HistorySchema,
  'maestros.yaml': TeachersSchema,
  'convocatorias.yaml': CallsSchema,
  'programa.yaml': ProgrammeSchema,
  'final.yaml': FinalSchema,
  'popularidad.yaml': PopularitySchema,
  'votacion.yaml': VotingSchema,
  'prensa.yaml': PressSchema,
  'patrocinadores.yaml': SponsorsSchema,
  'registro.yaml': registrationSchema('Registro de candidatas', {
    actaNacimiento: 'Acta de nacimiento',
    credencialElector: 'Credencial de elector',
    constanciaEstudios: 'Constancia de estudios',
    fotoRostro: 'Fotografía de rostro',
    fotoCuerpo: 'Fotografía de cuerpo entero',
  }),
  'registro-traje.yaml': registrationSchema('Registro de trajes típicos', {
    bocetoFrontal: 'Boceto de frente',
    bocetoPosterior: 'Boceto por detrás',
    identificacion: 'Identificación',
  }),
  'privacidad.yaml': PrivacySchema,
}

export type Photo = v.InferOutput<typeof PhotoSchema>

const areDistinct = (names: string[]): boolean => new Set(names).size === names.length

const haveDistinctSlugs = (people: { nombre: string }[]): boolean =>
  areDistinct(people.map(({ nombre }) => slugOf(nombre)))
