//! Reads presentations of PowerPoint: each slide is a page.

use quick_xml::events::BytesStart;

use crate::read::builder::{Builder, Built};
use crate::read::document::BlockKind;
use crate::read::error::ReadError;
use crate::read::format::Format;
use crate::read::formats::office::core_properties;
use crate::read::formats::xml::{Archive, Visitor, attribute, visit};
use crate::read::limits::ReadLimits;

pub(crate) fn read(archive: &mut Archive<'_>, limits: &ReadLimits) -> Result<Built, ReadError> {
    let number = |name: &str| -> Option<u32> {
        let name = name.strip_prefix("ppt/slides/slide")?;
        name.strip_suffix(".xml")?.parse().ok()
    };
    let mut slides: Vec<u32> = archive
        .names()
        .iter()
        .filter_map(|name| number(name))
        .collect();
    slides.sort_unstable();

    let mut out = Builder::new(limits.text);
    core_properties::read(
        archive,
        "docProps/core.xml",
        Format::Pptx,
        limits,
        out.about(),
    )?;
    for slide in slides {
        let content = archive.required(&format!("ppt/slides/slide{slide}.xml"))?;
        out.page(slide);
        let mut shapes = Shapes {
            out,
            is_title: false,
            is_text: false,
            is_hidden: false,
        };
        visit(&content, Format::Pptx, limits, &mut shapes)?;
        out = shapes.out;
    }
    out.finish()
}

struct Shapes {
    out: Builder,
    is_title: bool,
    is_text: bool,
    is_hidden: bool,
}

impl Visitor for Shapes {
    fn start(&mut self, name: &str, element: &BytesStart<'_>) {
        match name {
            "sld" if attribute(element, "show").is_some_and(|show| show == "0") => {
                self.is_hidden = true;
                self.out.about().hidden += 1;
            }
            "sp" => self.is_title = false,
            "ph" => {
                let kind = attribute(element, "type").unwrap_or_default();
                self.is_title = kind == "title" || kind == "ctrTitle";
            }
            "p" if self.is_title => self.out.begin_heading(1),
            "p" => self.out.begin(BlockKind::Paragraph),
            "t" => self.is_text = true,
            "br" | "tab" => self.out.flow(" "),
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "p" => self.out.end(),
            "t" => self.is_text = false,
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.is_text && !self.is_hidden {
            self.out.flow(text);
        }
    }

    fn check(&self) -> Result<(), ReadError> {
        self.out.check()
    }
}
