use super::visible_text;
