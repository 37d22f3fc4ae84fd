import { useState } from 'react'
import { DocumentField } from './document-field.tsx'
import styles from './field-showcase.module.css'
import type { PhotoValue } from './file-field-props.ts'
import { LogoField } from './logo-field.tsx'
import { PhotoField } from './photo-field.tsx'
import { VideoField } from './video-field.tsx'

export const meta = () => [{ title: 'Muestrario de archivos' }]

/** Shows every file field to developers signed in as an organiser; the screen exists in development only. */
export default function FileFieldShowcase() {
  const [photo, setPhoto] = useState<PhotoValue>({ foto: 'inicio/ga1.jpg', alt: '', foco: [50, 50] })
  const [empty, setEmpty] = useState<PhotoValue>({ foto: '', alt: '', foco: [50, 50] })
  const [logo, setLogo] = useState('patrocinadores/cafe-serrano.svg')
  const [video, setVideo] = useState('inicio/fondo.mp4')
  const [document, setDocument] = useState('convocatoria/boletin.docx')
  const aspectRatios = { telefono: 4 / 5, escritorio: 16 / 9 }
  return (
    <div className={styles.sample}>
      <h1>Muestrario de archivos</h1>
      <section>
        <h2>Fotografía puesta, chica</h2>
        <PhotoField
          id="foto"
          value={photo}
          onChange={setPhoto}
          descriptor={{ label: 'Primera fotografía', minimoAncho: 3_000, proporciones: aspectRatios }}
        />
      </section>
      <section>
        <h2>Sin fotografía</h2>
        <PhotoField
          id="vacia"
          value={empty}
          onChange={setEmpty}
          descriptor={{ label: 'Segunda fotografía', minimoAncho: 1_200, proporciones: aspectRatios }}
        />
      </section>
      <section>
        <h2>Logotipo</h2>
        <LogoField id="logo" value={logo} onChange={setLogo} descriptor={{ label: 'Café Serrano' }} />
      </section>
      <section>
        <h2>Video</h2>
        <VideoField
          id="video"
          value={video}
          onChange={setVideo}
          descriptor={{ label: 'Video de la portada', types: ['video/mp4'] }}
          onPoster={({ ruta }) => setEmpty({ ...empty, foto: ruta })}
        />
      </section>
      <section>
        <h2>Documento</h2>
        <DocumentField id="documento" value={document} onChange={setDocument} descriptor={{ label: 'Boletín' }} />
      </section>
      <output id="valores">{JSON.stringify({ foto: photo, vacia: empty, logo, video, documento: document })}</output>
    </div>
  )
}
