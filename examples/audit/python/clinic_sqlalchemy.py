"""clinic_sqlalchemy.py -- the application of clinic.py with SQLAlchemy.

    python3 clinic_sqlalchemy.py migrate|reset|test [--fixed]

With --fixed the races are gone by other means than locks on rows that were
read: a version column (withdraw), a lock on all rows that a rule is about
(leave), an exclusion constraint (book), one UPDATE that checks and changes
(redeem), and SERIALIZABLE (enrol)."""

import os
import sys

from sqlalchemy import (Boolean, Column, Integer, Text, create_engine, event,
                        text)
from sqlalchemy.ext.declarative import declarative_base
from sqlalchemy.orm import sessionmaker

FIXED = "--fixed" in sys.argv
engine = create_engine(os.environ["DATABASE_URL"]
                       if "DATABASE_URL" in os.environ else
                       "postgresql://{PGUSER}@{PGHOST}:{PGPORT}/{PGDATABASE}"
                       .format(**os.environ))
Base = declarative_base()
route = ""


@event.listens_for(engine, "before_cursor_execute", retval=True)
def name_endpoint(connection, cursor, sql, values, context, many):
    return f"{sql} /*route='{route}'*/" if route else sql, values


class Account(Base):
    __tablename__ = "account"
    id = Column(Integer, primary_key=True)
    owner = Column(Text)
    balance = Column(Integer)
    version = Column(Integer)
    if FIXED:
        __mapper_args__ = {"version_id_col": version}


class Doctor(Base):
    __tablename__ = "doctor"
    id = Column(Integer, primary_key=True)
    name = Column(Text)
    on_call = Column(Boolean)


class Booking(Base):
    __tablename__ = "booking"
    id = Column(Integer, primary_key=True)
    room_id = Column(Integer)
    begin_at = Column(Integer)
    end_at = Column(Integer)


class Coupon(Base):
    __tablename__ = "coupon"
    code = Column(Text, primary_key=True)
    uses = Column(Integer)


class Course(Base):
    __tablename__ = "course"
    id = Column(Integer, primary_key=True)
    places = Column(Integer)


class Student(Base):
    __tablename__ = "student"
    id = Column(Integer, primary_key=True)
    course_id = Column(Integer)
    name = Column(Text)


def withdraw(s, number, amount):
    account = s.get(Account, number)
    if account.balance < amount:
        return False
    account.balance -= amount
    return True


def leave(s, number):
    if FIXED:
        s.query(Doctor).order_by(Doctor.id).with_for_update().all()
    if s.query(Doctor).filter(Doctor.on_call).count() < 2:
        return False
    s.get(Doctor, number).on_call = False
    return True


def book(s, room, begin, end):
    if s.query(Booking).filter(Booking.room_id == room, Booking.begin_at < end,
                               Booking.end_at > begin).first():
        return False
    s.add(Booking(room_id=room, begin_at=begin, end_at=end))
    return True


def cancel(s, begin):
    s.query(Booking).filter(Booking.begin_at == begin).delete()
    return True


def redeem(s, code):
    if FIXED:
        done = s.query(Coupon).filter(
            Coupon.code == code, Coupon.uses > 0).update(
                {Coupon.uses: Coupon.uses - 1}, synchronize_session=False)
        return done == 1
    coupon = s.get(Coupon, code)
    if coupon.uses == 0:
        return False
    coupon.uses -= 1
    return True


def enrol(s, number, name):
    if FIXED:
        s.connection(execution_options={"isolation_level": "SERIALIZABLE"})
    course = s.get(Course, number)
    if s.query(Student).filter_by(course_id=number).count() >= course.places:
        return False
    s.add(Student(course_id=number, name=name))
    return True


REQUESTS = [
    (withdraw, 1, 30, True), (withdraw, 1, 50, True), (withdraw, 1, 70, False),
    (leave, 1, True), (leave, 2, True), (leave, 3, False),
    (book, 1, 9, 11, True), (book, 1, 10, 12, False), (cancel, 9, True),
    (book, 1, 10, 12, True),
    (redeem, "spring", True), (redeem, "spring", True),
    (redeem, "spring", False),
    (enrol, 1, "ann", True), (enrol, 1, "bob", True), (enrol, 1, "eve", False),
]


def migrate():
    Base.metadata.create_all(engine)


def reset():
    with engine.begin() as c:
        c.execute(text("alter table booking drop constraint if exists once"))
        if FIXED:
            c.execute(text("create extension if not exists btree_gist"))
            c.execute(text("alter table booking add constraint once exclude "
                           "using gist (room_id with =, "
                           "int4range(begin_at, end_at) with &&)"))
        c.execute(text("truncate account, doctor, booking, coupon, course, "
                       "student restart identity"))
        c.execute(text("insert into account values (1, 'ann', 100, 1)"))
        c.execute(text("insert into doctor values (1, 'eve', true), "
                       "(2, 'dan', true), (3, 'kim', true)"))
        c.execute(text("insert into coupon values ('spring', 2)"))
        c.execute(text("insert into course values (1, 2)"))


def test():
    global route
    for view, *given, expected in REQUESTS:
        route = view.__name__
        with sessionmaker(engine)() as session, session.begin():
            done = view(session, *given)
        if done != expected:
            sys.exit(f"{route}{tuple(given)}: {done}, expected {expected}")


if __name__ == "__main__":
    {"migrate": migrate, "reset": reset, "test": test}[sys.argv[1]]()
