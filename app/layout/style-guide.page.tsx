import { type ReactNode, useRef, useState } from 'react'
import { useLoaderData } from 'react-router'
import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { Banner, Warning } from '#app/ui/components/banner.tsx'
import { Button } from '#app/ui/components/button.tsx'
import {
  FacebookIcon,
  InstagramIcon,
  LinkIcon,
  NextIcon,
  PauseIcon,
  PlayIcon,
  PreviousIcon,
  ShareIcon,
  WhatsAppIcon,
} from '#app/ui/components/icons.tsx'
import { MessageScreen } from '#app/ui/components/message-screen.tsx'
import { SelectField, TextField } from '#app/ui/forms/field.tsx'
import { Progress } from '#app/ui/forms/progress.tsx'
import { fadeIn, fromLeft, useRevealInView } from '#app/ui/motion/reveal-in-view.ts'
import { Emblem } from '#app/ui/ornaments/emblem.tsx'
import { Lightbox, LightboxThumbnail } from '#app/ui/photos/lightbox.tsx'
import { Photo, type Picture } from '#app/ui/photos/photo.tsx'
import { ShareButton } from '#app/ui/sharing/share-button.tsx'
import { LoadingScreen } from './loading-screen.tsx'
import styles from './style-guide.module.css'

const COLORS = ['night', 'velvet', 'wine', 'ivory', 'smoke', 'ash', 'pink', 'pink-text', 'gold', 'gold-text']

/** This photograph never loads, to show its placeholder. */
const MISSING_PHOTO: Picture = {
  base: '/img/ausente',
  widths: [480],
  jpegWidth: 480,
  width: 480,
  height: 270,
  alt: 'Una fotografía que todavía no llega',
  focalPoint: [50, 50],
  preview:
    'data:image/webp;base64,UklGRkIAAABXRUJQVlA4IDYAAADwAQCdASoOAAgABABoJZACdADc+YoH3OgA/vV7YnqDMNbFhkK2S/OlfFdio7zC6TuWBki4AAA=',
}

export { revalidateUnlessHashOnly as shouldRevalidate } from '#app/ui/photos/lightbox-hash.ts'

export async function loader() {
  const { candidatas, grupo } = await loadEdition()
  return { galeria: candidatas[0]!.galeria, grupo: grupo! }
}

export const meta = () => [{ title: 'Muestrario' }]

/** Shows every component in every state, for developers; the screen exists in development only. */
export default function StyleGuide() {
  const { galeria, grupo } = useLoaderData<typeof loader>()
  const [isLoading, setLoading] = useState(false)
  const screen = useRef<HTMLDivElement>(null)
  useRevealInView(screen)
  return (
    <div ref={screen} className={styles.sampler}>
      <h1>Muestrario</h1>
      <Section title="Color">
        <ul className={styles.colors}>
          {COLORS.map((color) => (
            <li key={color} className={styles[color]}>
              {color}
            </li>
          ))}
        </ul>
      </Section>
      <Section title="Letra">
        <p className={styles.headline}>Señorita Azahares</p>
        <h2>ENTÉRATE, Ñandú, Güera</h2>
        <h3>La corona del centenario, hecha a mano</h3>
        <p>Texto corrido: «¿Cuántas reinas?», preguntó. —Ciento una, $10,000 pesos y 25 %.</p>
      </Section>
      <Section title="Emblema e iconos">
        <div className={styles.row}>
          <Emblem className={styles.emblem} />
          <PreviousIcon />
          <NextIcon />
          <PauseIcon />
          <PlayIcon />
          <FacebookIcon />
          <InstagramIcon />
          <WhatsAppIcon />
          <ShareIcon />
          <LinkIcon />
        </div>
      </Section>
      <Section title="Botones">
        <div className={styles.row}>
          <Button>Principal</Button>
          <Button isBusy>En curso</Button>
          <Button look="outline">De contorno</Button>
          <Button look="quiet">Discreto</Button>
          <Button look="outline" onClick={() => setLoading(true)}>
            Ver el cargador dos segundos
          </Button>
        </div>
        {isLoading && <LoadingScreen onAnimationIteration={() => setLoading(false)} />}
      </Section>
      <Section title="Campos">
        <div className={styles.fields}>
          <TextField id="vacio" label="Vacío" placeholder="Nombre completo" />
          <TextField id="lleno" label="Con pista" hint="Una pista bajo el campo" defaultValue="Ximena" />
          <TextField id="mal" label="Con error" error="Escribe un número, como 1.66." defaultValue="1,66" />
          <SelectField id="lista" label="Lista" options={['Estudiante', 'Egresada', 'Profesionista']} />
        </div>
      </Section>
      <Section title="Avisos y avance">
        <Warning>Los nombres de archivo no llevan ñ, acentos ni asteriscos.</Warning>
        <Banner tone="good" message="Registro exitoso." />
        <Banner tone="bad" message="Por favor completa todos los campos y sube ambos lados de tu credencial." />
        <Progress label="Poco" value={0.2} />
        <Progress label="Casi" value={0.85} size="wide" />
      </Section>
      <Section title="Fotografía que no llega">
        <div className={styles.frame}>
          <Photo picture={MISSING_PHOTO} sizes="480px" />
        </div>
      </Section>
      <Section title="Visor: tres fotografías, y una sola">
        <div className={styles.row}>
          {galeria.map((picture, index) => (
            <LightboxThumbnail
              key={picture.base}
              group="tres"
              number={index + 1}
              picture={picture}
              sizes="128px"
              className={styles.thumbnail}
            />
          ))}
          <LightboxThumbnail group="una" number={1} picture={grupo} sizes="128px" className={styles.thumbnail} />
        </div>
        <Lightbox group="tres" label="Tres fotografías" pictures={galeria} />
        <Lightbox group="una" label="Una fotografía" pictures={[grupo]} />
      </Section>
      <Section title="Aparición">
        <p className={fadeIn}>En su lugar, cuando llega a la vista.</p>
        <p className={fromLeft}>Desde la izquierda.</p>
      </Section>
      <Section title="Compartir">
        <div>
          <ShareButton text="Señorita Azahares" url="https://ejemplo.mx/candidatas" />
        </div>
      </Section>
      <MessageScreen kicker="Rótulo" title="Un mensaje a pantalla completa">
        <p>Con su texto y su regreso.</p>
      </MessageScreen>
    </div>
  )
}

const Section = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className={styles.section}>
    <h2>{title}</h2>
    {children}
  </section>
)
